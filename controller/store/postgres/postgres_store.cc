// Store over PostgreSQL: one writer, which leads (pg_writer.h), a pool of connections for reading,
// and a thread that renews the lease while nobody writes.
#include "controller/store/postgres/postgres_store.h"

#include <condition_variable>
#include <thread>
#include <utility>

#include "common/base/guarded.h"
#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/store/postgres/pg_writer.h"
#include "controller/store/postgres/reader_pool.h"
#include "controller/store/sql/caching_store.h"
#include "controller/store/sql/group_commit.h"

namespace paddock::store::postgres {

namespace {

class PgStore final : public sql::CachingStore {
 public:
  PgStore(const Target& target, const Leadership& lead, const StoreOptions& options)
      : engine_(target, lead, *options.postgres),
        writer_(engine_, cache_, tokens_, options),
        readers_(target, readers_name(lead.epoch), options.postgres->most_readers),
        renew_every_(options.postgres->lease / 4),
        renewing_([this] { renew(); }) {}

  ~PgStore() override {
    engine_.stop();
    stopping_.with([](bool& stopping) { stopping = true; });
    stopped_.notify_all();
    renewing_.join();
  }

  Status write(const std::function<Status(WriteTxn&)>& change) override {
    return writer_.submit(change);
  }
  Status write_new(const std::vector<NewObject>& makes,
                   const std::function<Status(WriteTxn&)>& change) override {
    return writer_.submit(change, {}, makes);
  }
  Status write_freeing(const std::function<Status(WriteTxn&)>& change, Frees what) override {
    return writer_.submit(change, what);
  }

  Status read(const std::function<Status(ReadTxn&)>& look) override {
    TRY(engine_.leads());
    return readers_.read(cache_, look);
  }

  // What is known of a token is of no use to who does not lead: another one may have revoked it.
  Result<std::optional<TokenRecord>> token_by_hash(const std::string& hash) override {
    TRY(engine_.leads());
    return CachingStore::token_by_hash(hash);
  }

  Status check_writable() override {
    TRY(engine_.leads());
    if (!writer_.disk_refuses()) return {};
    return writer_.submit(
        [](WriteTxn& txn) { return txn.put_setting("write-probe", std::string(64 << 10, '0')); });
  }

 private:
  // A change of nothing: its transaction renews the lease like any other.
  void renew() {
    const auto ready = [](bool stopping) { return stopping; };
    const auto take = [](bool, bool stop) { return stop; };
    while (!stopping_.wait_for(stopped_, renew_every_, ready, take)) {
      const Status renewed = writer_.submit([](WriteTxn&) { return Status(); });
      if (!renewed.ok())
        log_warn("the lease on the database was not renewed",
                 {{"reason", renewed.error().reason}, {"error", renewed.error().describe()}});
    }
  }

  PgWriter engine_;
  sql::GroupCommit writer_;
  ReaderPool readers_;
  const Millis renew_every_;
  Guarded<bool> stopping_{false};
  std::condition_variable stopped_;
  std::thread renewing_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
  ASSIGN_OR_RETURN(const Target target, parse_target(options.postgres->url));
  ASSIGN_OR_RETURN(const Leadership lead, take_lead(target, *options.postgres));
  return std::unique_ptr<Store>(new PgStore(target, lead, options));
}

}  // namespace paddock::store::postgres
