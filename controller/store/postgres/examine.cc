#include "controller/store/postgres/examine.h"

#include <string>
#include <utility>

#include "common/base/text.h"
#include "controller/store/postgres/connection.h"
#include "controller/store/postgres/errors.h"
#include "controller/store/postgres/leadership.h"
#include "controller/store/postgres/schema.h"
#include "controller/store/postgres/target.h"

namespace paddock::store::postgres {

namespace {

constexpr const char* kLimits =
    "SELECT set_config('lock_timeout', '3s', true), set_config('statement_timeout', '10s', true)";

// Compares with the middle of the question's time, so that the way to the server and back does not
// count.
Result<Millis> clock_ahead(Connection& db, const Clock& clock) {
  const int64_t before = clock.wall().ms;
  ASSIGN_OR_RETURN(const Answer now,
                   db.ask("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"));
  const int64_t after = clock.wall().ms;
  return Millis(integer_in(now.get(), 0, 0) - (before + (after - before) / 2));
}

Status check_primary(Connection& db) {
  ASSIGN_OR_RETURN(const Answer row, db.ask("SELECT pg_is_in_recovery() OR current_setting("
                                            "'transaction_read_only')::boolean"));
  if (integer_in(row.get(), 0, 0) == 0) return {};
  return sqlstate_error("25006", "in recovery, or transactions are read-only by default");
}

// Checks the rights that the start needs: tables of its own, or a place to make them.
Status check_rights(Connection& db, bool has_tables) {
  const char* question =
      has_tables ? "SELECT bool_and(has_table_privilege(oid, 'SELECT, INSERT, UPDATE, DELETE')) "
                   "FROM pg_class WHERE relkind = 'r' AND relnamespace = "
                   "current_schema()::regnamespace"
                 : "SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)";
  ASSIGN_OR_RETURN(const Answer row, db.ask(question));
  if (integer_in(row.get(), 0, 0) != 0) return {};
  return sqlstate_error("42501", has_tables ? "the tables belong to another user"
                                            : "this user may make no tables in the database");
}

// A table that nobody else sees, in a transaction that is undone. Who may make none learns nothing.
Status try_disk(Connection& db) {
  const auto made = db.ask(
      "CREATE TEMPORARY TABLE paddock_check ON COMMIT DROP AS SELECT repeat(md5(n::text), 1000) "
      "FROM generate_series(1, 100) AS n");
  if (made.ok() || made.error().reason == "STORE_LOGIN_REFUSED") return {};
  return made.error();
}

Result<Examined> look(Connection& db, const Clock& clock) {
  Examined out;
  ASSIGN_OR_RETURN(const Answer version, db.ask("SELECT current_setting('server_version')"));
  out.engine = cat("PostgreSQL ", bytes_in(version.get(), 0, 0));
  out.newest_schema = schema_version();
  ASSIGN_OR_RETURN(out.ahead, clock_ahead(db, clock));
  TRY(check_primary(db));
  ASSIGN_OR_RETURN(out.schema, stored_schema(db));
  if (out.schema > schema_version()) return schema_too_new(out.schema);
  TRY(check_rights(db, out.schema > 0));
  if (out.schema > 0) {
    ASSIGN_OR_RETURN(const Answer row,
                     db.ask(cat("SELECT holder_name, ", kLeftMs, " FROM paddock_leader")));
    if (PQntuples(row.get()) == 1 && integer_in(row.get(), 0, 1) > 0)
      out.leader = bytes_in(row.get(), 0, 0);
  }
  TRY(try_disk(db));
  return out;
}

}  // namespace

Result<Examined> examine(const PostgresOptions& options, const Clock& clock) {
  ASSIGN_OR_RETURN(const Target target, parse_target(options.url));
  ASSIGN_OR_RETURN(const auto db, Connection::open(target, kLookingName));
  TRY(db->soon("BEGIN ISOLATION LEVEL READ COMMITTED"));
  TRY(db->soon(kLimits));
  Result<Examined> found = look(*db, clock);
  const auto undone = db->ask("ROLLBACK");
  if (found.ok() && !undone.ok()) return undone.error();
  return found;
}

}  // namespace paddock::store::postgres
