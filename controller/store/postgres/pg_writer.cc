#include "controller/store/postgres/pg_writer.h"

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/base/time.h"
#include "controller/store/postgres/errors.h"

namespace paddock::store::postgres {

namespace {

constexpr Millis kAskAgain{200};

int64_t steady_ms() { return SystemClock().mono().ms; }

// A transaction must not leave settings behind in the session, so each one sets its own.
constexpr const char* kSettings =
    "SELECT set_config('lock_timeout', '5s', true), "
    "set_config('statement_timeout', '30s', true), "
    "set_config('idle_in_transaction_session_timeout', '10s', true), ";

// The names of objects as three arrays.
class Names {
 public:
  explicit Names(const std::vector<NewObject>& objects) {
    for (const NewObject& each : objects) {
      kinds_.add(text(each.kind));
      name_spaces_.add(text(each.key.name_space));
      names_.add(text(each.key.name));
    }
    if (objects.empty()) {  // their type all the same
      const Parameter nothing = text("");
      for (Array* each : {&kinds_, &name_spaces_, &names_}) each->add(nothing);
    }
    encoded_ = {kinds_.encode(), name_spaces_.encode(), names_.encode()};
  }
  Parameter kinds() const { return kinds_.as_parameter(encoded_[0]); }
  Parameter name_spaces() const { return name_spaces_.as_parameter(encoded_[1]); }
  Parameter names() const { return names_.as_parameter(encoded_[2]); }

 private:
  Array kinds_, name_spaces_, names_;
  std::array<std::string, 3> encoded_;
};

// `found`: the places of those that are there, counted from 1.
std::unordered_set<std::string> absent_of(const std::vector<NewObject>& objects,
                                          std::string_view found) {
  std::set<size_t> there;
  for (const std::string& word : split(found, ' '))
    there.insert(parse_integer<size_t>(word).value_or(0));
  std::unordered_set<std::string> absent;
  for (size_t i = 0; i < objects.size(); ++i) {
    const NewObject& each = objects[i];
    if (!there.contains(i + 1))
      absent.insert(Connection::absent_key(each.kind, each.key.name_space, each.key.name));
  }
  return absent;
}

Error as_away(const Error& why) {
  return why.code == Code::kUnavailable ? why : lost_error(why.describe());
}

Error unknown_outcome(const Error& cause) {
  return Error{Code::kUnavailable, "STORE_OUTCOME_UNKNOWN",
               "the database went away while it committed this change, and is not back: whether it "
               "was kept is not known yet; read before you send it again"}
      .within(cause.describe());
}

}  // namespace

PgWriter::PgWriter(Target target, Leadership lead, const PostgresOptions& options)
    : target_(std::move(target)),
      options_(options),
      lead_(lead),
      valid_until_ms_(lead.asked.ms + options.lease.count()) {}

PgWriter::~PgWriter() {
  if (fenced_.load() || !db_ || db_->lost()) return;
  if (const Status given = give_up_lead(*db_, lead_.epoch, options_.holder); !given.ok())
    log_warn("the lease on the database was not ended; it runs out by itself",
             {{"error", given.error().describe()}});
}

Error PgWriter::fenced() {
  if (!fenced_.exchange(true)) {
    log_error("another controller leads this database; nothing is written here any more",
              {{"epoch", std::to_string(lead_.epoch)}});
    if (options_.on_fenced) options_.on_fenced();
  }
  return {Code::kUnavailable, "STORE_FENCED",
          "another controller leads this database; nothing of this change was kept, ask that one"};
}

// A replica that lacked the last commits took over, or a backup was put back: numbers of changes
// are given again, to other states than those that are remembered here. The next start knows none.
Error PgWriter::set_back() {
  if (!fenced_.exchange(true)) {
    log_error("the database lost changes that it had confirmed; this controller begins anew",
              {{"epoch", std::to_string(lead_.epoch)}});
    if (options_.on_fenced) options_.on_fenced();
  }
  return {Code::kUnavailable, "STORE_FENCED",
          "the database was set back to an older state; nothing of this change was kept, send it "
          "again once the controller has started anew"};
}

Status PgWriter::leads() const {
  if (fenced_.load())
    return Error{Code::kUnavailable, "STORE_FENCED",
                 "another controller leads this database; ask that one"};
  return lease_left() < Millis(0) ? Status(unconfirmed()) : Status();
}

Error PgWriter::unconfirmed() {
  return {Code::kUnavailable, "NOT_LEADER",
          "the database has not confirmed for too long that this controller leads, and it did "
          "nothing of this; ask the one that leads, or this one again"};
}

Millis PgWriter::lease_left() const { return Millis(valid_until_ms_.load() - steady_ms()); }

Status PgWriter::connect() {
  if (db_ && !db_->lost() && !db_->ended_by_server()) return {};
  line_.put(nullptr);
  db_.reset();
  auto made = Connection::open(target_, session_name(lead_.epoch));
  if (!made.ok()) return std::move(made).error();
  db_ = std::move(*made);
  line_.put(db_.get());
  db_->gather();
  return {};
}

void PgWriter::will_make(const std::vector<NewObject>& objects) { new_objects_ = objects; }

// The first thing that each transaction does, in one round trip: it finds the row with its epoch
// and holder (a replica that lacked the last commits may give an epoch to another one again),
// renews the lease, reads the numbers that were given so far and whether anybody follows, and looks
// which of the objects that are to be made are there already.
Status PgWriter::prove_lead() {
  TRY(db_->soon("BEGIN ISOLATION LEVEL READ COMMITTED"));
  TRY(db_->soon(cat(kSettings, kWaitsForDisk)));
  const Names names(new_objects_);
  ASSIGN_OR_RETURN(
      const Answer row,
      db_->ask("UPDATE paddock_leader SET batch = $2, "
               "lease_until = clock_timestamp() + $3 * interval '1 millisecond' "
               "WHERE epoch = $1 AND holder = $4 "
               "RETURNING changes_given, objects_given, audit_given, "
               "(SELECT hash FROM audit ORDER BY id DESC LIMIT 1), "
               "EXISTS (SELECT FROM paddock_followed WHERE until > clock_timestamp()), "
               "(SELECT coalesce(string_agg(i::text, ' '), '') FROM unnest($5, $6, $7) "
               "WITH ORDINALITY AS wanted (kind, namespace, name, i) WHERE "
               "EXISTS (SELECT FROM objects o WHERE o.kind = wanted.kind AND o.namespace = "
               "wanted.namespace AND o.name = wanted.name) OR (wanted.kind = $8 AND "
               "EXISTS (SELECT FROM idempotent_creates c WHERE c.scope = wanted.namespace AND "
               "c.key >= wanted.name AND c.key < wanted.name || '!')))",
               {number(lead_.epoch), number(lead_.batch), number(options_.lease.count()),
                text(options_.holder), names.kinds(), names.name_spaces(), names.names(),
                text(kIdempotencyKind)}));
  if (PQntuples(row.get()) != 1) return fenced();
  followed_ = integer_in(row.get(), 0, 4) != 0;
  db_->put_followed(followed_);
  db_->put_absent(absent_of(new_objects_, bytes_in(row.get(), 0, 5)));
  for (size_t i = 0; i < committed_.size(); ++i) {
    db_->numbers.given[i] = integer_in(row.get(), 0, static_cast<int>(i));
    if (db_->numbers.given[i] < committed_[i]) return set_back();
  }
  db_->numbers.newest_link.reset();
  if (PQgetisnull(row.get(), 0, 3) == 0) db_->numbers.newest_link = bytes_in(row.get(), 0, 3);
  return {};
}

Status PgWriter::begin() {
  begun_ = false;
  wrote_ = false;
  if (fenced_.load()) return fenced();
  if (const Status connected = connect(); !connected.ok()) {
    // Whatever the cause, the caller hears that the database is away; the log has the cause.
    return as_away(connected.error());
  }
  db_->begin_anew();
  ++lead_.batch;
  begun_ms_ = steady_ms();
  begun_ = true;
  TRY(prove_lead());
  changes_ = db_->changes();
  // Nobody reads these texts any more, not those of a former leader either. This runs soon, because
  // each leader renews its lease.
  if (!followed_ && may_have_texts_) TRY(db_->ask("DELETE FROM paddock_change_texts"));
  return {};
}

Status PgWriter::savepoint() {
  saved_ = db_->numbers;
  db_->begin_part();
  return {};
}

Status PgWriter::keep_savepoint() { return db_->keep_part(); }

Status PgWriter::undo_savepoint() {
  db_->numbers = saved_;
  return db_->undo_part();
}

Status PgWriter::send_commit() {
  if (wrote_) {
    const Numbers& all = db_->numbers;
    TRY(
        db_->soon("UPDATE paddock_leader SET changes_given = $1, objects_given = $2, "
                  "audit_given = $3",
                  {number(all.given[0]), number(all.given[1]), number(all.given[2])}));
  }
  ASSIGN_OR_RETURN(const Answer answer, db_->ask("COMMIT"));
  if (std::string_view(PQcmdStatus(answer.get())) == "COMMIT") return {};
  return Error{Code::kUnavailable, "STORE_IO",
               "the database gave the transaction up; nothing of this change was kept"};
}

// The lease is renewed by what was committed alone: of a transaction that was undone, or waits in
// its commit, the database knows nothing of it yet, or may not keep it.
void PgWriter::confirm() {
  committed_ = db_->numbers.given;
  valid_until_ms_.store(begun_ms_ + options_.lease.count());
}

// All that was gathered goes with COMMIT, which a fault in it keeps from being done. Once COMMIT
// was sent, a lost connection says nothing about it: the database is asked.
Status PgWriter::commit() {
  wrote_ = db_->changes() != changes_ || db_->owes();
  Status sent = send_commit();
  if (sent.ok()) confirm();
  if (sent.ok()) may_have_texts_ = followed_;
  if (sent.ok() || !db_->lost()) {
    begun_ = !sent.ok();
    return sent;
  }
  begun_ = false;
  if (!wrote_) return sent;
  const auto kept = settle_in_time();
  if (!kept.ok()) return unknown_outcome(kept.error());
  if (*kept) confirm();
  return *kept ? Status() : sent;
}

// Asked before a later change is begun: of that one it is known that nothing was kept.
Result<bool> PgWriter::settle() {
  auto kept = was_committed(target_, lead_, options_.holder);
  if (!kept.ok()) return as_away(kept.error());
  return kept;
}

Result<bool> PgWriter::settle_in_time() {
  const int64_t end = steady_ms() + options_.patience.count();
  while (true) {
    auto kept = was_committed(target_, lead_, options_.holder);
    if (kept.ok() || stopping_.load() || steady_ms() > end) return kept;
    std::this_thread::sleep_for(kAskAgain);
  }
}

void PgWriter::undo() {
  if (!begun_ || !db_ || db_->lost()) return;
  begun_ = false;
  db_->begin_anew();
  (void)db_->finish();
  if (const auto undone = db_->ask("ROLLBACK"); !undone.ok() && !db_->lost())
    log_error("the store could not roll back", {{"error", undone.error().describe()}});
}

}  // namespace paddock::store::postgres
