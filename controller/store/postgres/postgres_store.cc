// Store over PostgreSQL: one writer, which leads (pg_writer.h), a pool of connections for reading,
// a thread that renews the lease while nobody writes, and one that sees when it ran out all the
// same.
#include "controller/store/postgres/postgres_store.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "common/base/guarded.h"
#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/store/follow.h"
#include "controller/store/postgres/pg_writer.h"
#include "controller/store/postgres/reader_pool.h"
#include "controller/store/sql/caching_store.h"
#include "controller/store/sql/group_commit.h"

namespace paddock::store::postgres {

namespace {

// 64 KiB of letters, the same each time, in which nothing comes again.
std::string unpackable_text() {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::mt19937 number;
  std::string out(64 << 10, ' ');
  for (char& each : out) each = kLetters[number() >> 26];
  return out;
}

class PgStore final : public sql::CachingStore, public Followed {
 public:
  PgStore(const Target& target, const Leadership& lead, const StoreOptions& options)
      : engine_(target, lead, *options.postgres),
        writer_(engine_, cache_, tokens_, options),
        readers_(target, readers_name(lead.epoch), options.postgres->most_readers),
        renew_every_(options.postgres->lease / 4),
        on_lead_confirmed_(options.postgres->on_lead_confirmed),
        renewing_([this] { renew(); }),
        watching_([this] { watch_lease(); }) {}

  ~PgStore() override {
    engine_.stop();
    stopping_.with([](bool& stopping) { stopping = true; });
    stopped_.notify_all();
    renewing_.join();
    watching_.join();
  }

  Status write(const std::function<Status(WriteTxn&)>& change) override { return submit(change); }
  Status write_new(const std::vector<NewObject>& makes,
                   const std::function<Status(WriteTxn&)>& change) override {
    return submit(change, {}, makes);
  }
  Status write_freeing(const std::function<Status(WriteTxn&)>& change, Frees what) override {
    return submit(change, what);
  }

  Status read(const std::function<Status(ReadTxn&)>& look) override {
    TRY(leads());
    return as_led(readers_.read(cache_, look));
  }

  // A controller that does not lead must not trust what it remembers of a token: the leader may
  // have revoked it.
  Result<std::optional<TokenRecord>> token_by_hash(const std::string& hash) override {
    TRY(leads());
    return CachingStore::token_by_hash(hash);
  }

  bool followed() const override { return engine_.followed(); }

  Status check_writable() override {
    TRY(leads());
    if (!writer_.disk_refuses()) return {};
    // A text that the database cannot pack: a packed one finds room where nothing else does.
    return submit([](WriteTxn& txn) { return txn.put_setting("write-probe", unpackable_text()); });
  }

 private:
  // Once the lease ran out, not before whoever is told of that has heard that it is confirmed.
  Status leads() const {
    TRY(engine_.leads());
    return lapsed_.load() ? Status(PgWriter::unconfirmed()) : Status();
  }

  // Checks first whether this controller may still lead, so that otherwise nobody waits for a
  // database that does not answer.
  Status submit(const sql::GroupCommit::Change& change, sql::Writer::Purpose purpose = {},
                const std::vector<NewObject>& makes = {}) {
    TRY(leads());
    return as_led(writer_.submit(change, purpose, makes));
  }

  // The database was lost before anything was kept: whoever leads by now is to be asked.
  Status as_led(Status done) const {
    if (done.ok() || done.error().reason != "STORE_AWAY") return done;
    TRY(leads());
    return done;
  }

  // A change of nothing: its transaction renews the lease like any other.
  void renew() {
    while (rest(renew_every_)) {
      const Status renewed = writer_.submit([](WriteTxn&) { return Status(); });
      if (!renewed.ok() && renewed.error().reason != "NOT_LEADER")  // which is told of once
        log_warn("the lease on the database was not renewed",
                 {{"reason", renewed.error().reason}, {"error", renewed.error().describe()}});
    }
  }

  // Whoever is cut off hears nothing from the database, so the time itself tells that the lease ran
  // out. Who reads then, or waits for a turn to write, is told at once; who writes has the longer
  // patience: a database that is only slow may keep the change yet.
  void watch_lease() {
    while (wait_until_lapsed()) {
      log_warn("the database does not confirm that this controller leads; it refuses all requests");
      lapsed_.store(true);
      if (on_lead_confirmed_) on_lead_confirmed_(false);
      if (!refuse_until_confirmed()) return;
      log_info("the database confirms again that this controller leads");
      if (on_lead_confirmed_) on_lead_confirmed_(true);
      lapsed_.store(false);
    }
  }

  // False: it ends.
  bool refuse_until_confirmed() {
    Millis hang_up_at = -kPatience;
    for (Status lapsed = engine_.leads(); !lapsed.ok(); lapsed = engine_.leads()) {
      writer_.give_up_waiting(lapsed.error());
      readers_.hang_up();
      if (const Millis left = engine_.lease_left(); left < hang_up_at) {
        engine_.hang_up();
        hang_up_at = left - kPatience;
      }
      if (!rest(kLookEvery)) return false;
    }
    return true;
  }

  bool wait_until_lapsed() {
    while (engine_.leads().ok()) {
      if (!rest(std::max(engine_.lease_left(), kLookEvery))) return false;
    }
    return true;
  }

  bool rest(Millis time) {
    const auto ready = [](bool stopping) { return stopping; };
    return !stopping_.wait_for(stopped_, time, ready, [](bool, bool stop) { return stop; });
  }

  static constexpr Millis kLookEvery{100};
  // Since the lease ran out.
  static constexpr Millis kPatience{10'000};
  PgWriter engine_;
  sql::GroupCommit writer_;
  ReaderPool readers_;
  const Millis renew_every_;
  const std::function<void(bool)> on_lead_confirmed_;
  std::atomic<bool> lapsed_{false};
  Guarded<bool> stopping_{false};
  std::condition_variable stopped_;
  std::thread renewing_;
  std::thread watching_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
  ASSIGN_OR_RETURN(const Target target, parse_target(options.postgres->url));
  ASSIGN_OR_RETURN(const Leadership lead, take_lead(target, *options.postgres));
  return std::unique_ptr<Store>(new PgStore(target, lead, options));
}

}  // namespace paddock::store::postgres
