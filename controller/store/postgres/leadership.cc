#include "controller/store/postgres/leadership.h"

#include <utility>

#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/store/lead_watch.h"
#include "controller/store/postgres/errors.h"
#include "controller/store/postgres/schema.h"

namespace paddock::store::postgres {

namespace {

constexpr int kTries = 3;
// A look-up waits for synchronous replicas, which may be away for long: then it is asked anew.
constexpr Millis kLookUpPatience{5'000};

struct Standing {
  int64_t epoch = 0;
  std::string holder;
  std::string holder_name;
  int64_t left_ms = 0;  // of its lease
};

Status begin(Connection& db) {
  TRY(db.soon("BEGIN ISOLATION LEVEL READ COMMITTED"));
  return db.soon(
      cat("SELECT set_config('lock_timeout', '3s', true), set_config('statement_timeout', '60s', "
          "true), ",
          kWaitsForDisk));
}

Result<Standing> standing(Connection& db, bool locked) {
  ASSIGN_OR_RETURN(const Answer row,
                   db.ask(cat("SELECT epoch, holder, holder_name, ", kLeftMs,
                              " FROM paddock_leader", locked ? " FOR UPDATE" : "")));
  if (PQntuples(row.get()) != 1)
    return Error{Code::kInternal, "STORE_CORRUPT", "the database has lost the row of its leader"};
  return Standing{integer_in(row.get(), 0, 0), std::string(bytes_in(row.get(), 0, 1)),
                  std::string(bytes_in(row.get(), 0, 2)), integer_in(row.get(), 0, 3)};
}

Status may_take(const Standing& now, const PostgresOptions& options) {
  if (now.left_ms == 0 || is_holder(now.holder, options.holder)) return {};
  return Error{
      Code::kFailedPrecondition, "STORE_LOCKED",
      cat(now.holder_name, " leads this database, by a lease that lasts ", now.left_ms / 1000 + 1,
          "s unless it is renewed; stop that one, or choose another database")};
}

// A leader of an older version that lives keeps its tables as it knows them.
Status prepare_tables(Connection& db, const PostgresOptions& options) {
  TRY(begin(db));
  ASSIGN_OR_RETURN(const int64_t stored, stored_schema(db));
  if (stored > 0) {
    ASSIGN_OR_RETURN(const Standing now, standing(db, false));
    TRY(may_take(now, options));
  }
  TRY(prepare_schema(db));
  ASSIGN_OR_RETURN(const Answer ignored, db.ask("COMMIT"));
  return {};
}

// In an extra transaction, before the row is locked: with it the sessions could not be ended.
Status end_former(Connection& db, const PostgresOptions& options) {
  ASSIGN_OR_RETURN(const Standing now, standing(db, false));
  TRY(may_take(now, options));
  TRY(end_sessions(db, readers_name(now.epoch)));
  return end_sessions(db, session_name(now.epoch));
}

Result<Leadership> take_row(Connection& db, const PostgresOptions& options) {
  ASSIGN_OR_RETURN(const Standing now, standing(db, true));
  TRY(may_take(now, options));
  const MonoTime asked = SystemClock().mono();
  TRY(db.soon("INSERT INTO paddock_former (epoch, batch) SELECT epoch, batch FROM paddock_leader"));
  ASSIGN_OR_RETURN(
      const Answer row,
      db.ask("UPDATE paddock_leader SET epoch = epoch + 1, holder = $1, holder_name = $2, "
             "lease_until = clock_timestamp() + $3 * interval '1 millisecond' "
             "RETURNING epoch, batch",
             {text(options.holder), text(options.holder_name), number(options.lease.count())}));
  return Leadership{integer_in(row.get(), 0, 0), integer_in(row.get(), 0, 1), asked};
}

Result<Leadership> take_once(Connection& db, const PostgresOptions& options) {
  // What the former one still reads would keep an older schema's tables from being changed.
  ASSIGN_OR_RETURN(const int64_t stored, stored_schema(db));
  if (stored > 0 && stored < schema_version()) TRY(end_former(db, options));
  TRY(prepare_tables(db, options));
  TRY(end_former(db, options));
  TRY(begin(db));
  ASSIGN_OR_RETURN(const Leadership mine, take_row(db, options));
  ASSIGN_OR_RETURN(const Answer committed, db.ask("COMMIT"));
  if (std::string_view(PQcmdStatus(committed.get())) != "COMMIT")
    return Error{Code::kUnavailable, "STORE_BUSY", "the lead could not be taken; start again"};
  return mine;
}

Status check_writable(Connection& db) {
  ASSIGN_OR_RETURN(const Answer row, db.ask("SELECT pg_is_in_recovery() OR current_setting("
                                            "'transaction_read_only')::boolean"));
  if (integer_in(row.get(), 0, 0) == 0) return {};
  return sqlstate_error("25006", "in recovery, or transactions are read-only by default");
}

// Another one that starts at the same time makes the same tables: then they are there.
bool is_worth_another(const Error& error) {
  return is_one_of(error.reason, {"STORE_BUSY", "STORE_CONSTRAINT", "STORE_INTERNAL"});
}

// A replica that took over without the last commits may have given this epoch to another holder.
// The lock on the row is in the log, so COMMIT waits for synchronous replicas as the batch's own
// would have, and for all before it: what is told as kept is on them too.
Result<bool> look_up(Connection& db, const Leadership& batch, const std::string& holder) {
  TRY(begin(db));
  ASSIGN_OR_RETURN(const Answer row,
                   db.ask("SELECT epoch, batch, holder FROM paddock_leader FOR UPDATE"));
  int64_t last = integer_in(row.get(), 0, 1);
  if (integer_in(row.get(), 0, 0) != batch.epoch) {
    ASSIGN_OR_RETURN(
        const Answer former,
        db.ask("SELECT batch FROM paddock_former WHERE epoch = $1", {number(batch.epoch)}));
    last = PQntuples(former.get()) > 0 ? integer_in(former.get(), 0, 0) : 0;
  } else if (bytes_in(row.get(), 0, 2) != holder) {
    last = 0;
  }
  TRY(db.ask("COMMIT"));
  return last >= batch.batch;
}

}  // namespace

std::string session_name(int64_t epoch) { return cat("paddock-controller epoch ", epoch); }
std::string readers_name(int64_t epoch) { return cat(session_name(epoch), " reads"); }

Status end_sessions(Connection& db, const std::string& name) {
  const auto ended = db.ask(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 "
      "AND datname = current_database() AND pid <> pg_backend_pid()",
      {text(name)});
  if (ended.ok() || db.lost()) return {};
  log_warn("sessions that were left over may not be ended by this user of the database",
           {{"grant", "pg_signal_backend"}, {"error", ended.error().describe()}});
  return {};
}

Result<Leadership> take_lead(const Target& target, const PostgresOptions& options) {
  ASSIGN_OR_RETURN(const auto db, Connection::open(target, kLookingName));
  TRY(check_writable(*db));
  Result<Leadership> taken = Error{};
  for (int tries = 0; tries < kTries; ++tries) {
    taken = take_once(*db, options);
    if (taken.ok() || db->lost() || !is_worth_another(taken.error())) return taken;
    TRY(db->ask("ROLLBACK"));
  }
  return taken;
}

Result<bool> was_committed(const Target& target, const Leadership& batch,
                           const std::string& holder) {
  ASSIGN_OR_RETURN(const auto db, Connection::open(target, kLookingName));
  db->give_up_after(kLookUpPatience);
  TRY(end_sessions(*db, session_name(batch.epoch)));
  return look_up(*db, batch, holder);
}

Status hold_lead(Connection& db, const PostgresOptions& options) {
  ASSIGN_OR_RETURN(const Standing now, standing(db, false));
  TRY(may_take(now, options));
  // Whoever waited for the row alone would have a lock on the table, and a deadlock with its
  // renaming.
  TRY(db.ask("LOCK TABLE paddock_leader IN EXCLUSIVE MODE"));
  ASSIGN_OR_RETURN(const Standing held, standing(db, true));
  return may_take(held, options);
}

Status give_up_lead(Connection& db, int64_t epoch, const std::string& holder) {
  TRY(
      db.ask("UPDATE paddock_leader SET lease_until = clock_timestamp() WHERE epoch = $1 AND "
             "holder = $2",
             {number(epoch), text(holder)}));
  return {};
}

}  // namespace paddock::store::postgres
