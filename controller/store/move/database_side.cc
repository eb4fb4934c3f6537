#include "controller/store/move/database_side.h"

#include <string_view>
#include <utility>

#include "common/base/text.h"
#include "controller/store/postgres/errors.h"
#include "controller/store/postgres/leadership.h"
#include "controller/store/postgres/schema.h"
#include "controller/store/postgres/target.h"

namespace paddock::store::move {

namespace {

using postgres::Answer;

// The name by which the database session of a move is found at the server.
std::string session_name(const std::string& id) { return cat("paddock-controller moving ", id); }

constexpr const char* kLookingName = "paddock-controller looking for a move";
constexpr const char* kBroughtTable = "paddock_leader";

// A move is one long transaction, so its statements have no time limit. It does not wait long for a
// lock that another session holds.
constexpr const char* kSettings =
    "SELECT set_config('lock_timeout', '3s', true), set_config('statement_timeout', '0', true), "
    "set_config('idle_in_transaction_session_timeout', '0', true), "
    "set_config('synchronous_commit', CASE current_setting('synchronous_commit') "
    "WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)";

// Held by a move's transaction until it has ended.
Status take_turn(postgres::Connection& db, const std::string& id) {
  TRY(db.ask("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", {postgres::text(id)}));
  return {};
}

// A session whose client is gone may still be at its COMMIT: before that has ended, what is seen
// says nothing.
Status wait_for_end(postgres::Connection& db, const std::string& id) {
  TRY(postgres::end_sessions(db, session_name(id)));
  TRY(db.soon("BEGIN ISOLATION LEVEL READ COMMITTED"));
  TRY(db.soon(kSettings));
  TRY(take_turn(db, id));
  TRY(db.ask("COMMIT"));
  return {};
}

// It stands in a statement: COMMENT takes no parameters. Names of folders may have any byte.
std::string quoted(std::string_view text) {
  std::string out = "E'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += c;
    out += c >= ' ' && c < 0x7F ? c : '?';
  }
  return out + "'";
}

// Remarks on a table go with the transaction, and are no rows of the store. `place`: where the
// store went, for people.
Status remark(postgres::Connection& db, std::string_view table, std::string_view id,
              std::string_view place = {}) {
  const std::string text = cat("move ", id, place.empty() ? "" : " to ", place);
  return db.soon(cat("COMMENT ON TABLE ", table, " IS ", quoted(text)));
}

Result<bool> has_remark(const PostgresOptions& options, std::string_view table,
                        const std::string& id) {
  ASSIGN_OR_RETURN(const postgres::Target target, postgres::parse_target(options.url));
  ASSIGN_OR_RETURN(const auto db, postgres::Connection::open(target, kLookingName));
  TRY(wait_for_end(*db, id));
  ASSIGN_OR_RETURN(const Answer row,
                   db->ask("SELECT obj_description(to_regclass($1::text), 'pg_class')",
                           {postgres::text(table)}));
  const std::string_view said = postgres::bytes_in(row.get(), 0, 0);
  return said == cat("move ", id) || said.starts_with(cat("move ", id, " to "));
}

}  // namespace

Result<Database> begin_at(const PostgresOptions& options, const std::string& id) {
  ASSIGN_OR_RETURN(const postgres::Target target, postgres::parse_target(options.url));
  ASSIGN_OR_RETURN(Database db, postgres::Connection::open(target, session_name(id)));
  TRY(db->soon("BEGIN ISOLATION LEVEL REPEATABLE READ"));
  TRY(db->soon(kSettings));
  TRY(take_turn(*db, id));
  return db;
}

Status commit(postgres::Connection& db) {
  TRY(db.finish());
  const auto answer = db.ask("COMMIT");
  if (answer.ok() && std::string_view(PQcmdStatus(answer->get())) == "COMMIT") return {};
  if (!db.lost()) {
    if (!answer.ok()) return answer.error();
    return Error{Code::kUnavailable, "STORE_IO",
                 "the database gave the move up; nothing was moved"};
  }
  return Error{Code::kUnavailable, "STORE_OUTCOME_UNKNOWN",
               "the database went away as it committed the move: the same command finishes it, or "
               "does it anew, once the database is back"}
      .within(answer.error().describe());
}

Status make_tables(postgres::Connection& db) {
  ASSIGN_OR_RETURN(const int64_t others, postgres::count_tables(db));
  if (others > 0)
    return Error{Code::kFailedPrecondition, "STORE_NOT_EMPTY",
                 "the database has tables already; a store is moved to an empty one: name a new "
                 "database, or drop and create this one"};
  return postgres::prepare_schema(db);
}

Status put_given(postgres::Connection& db, const Given& given) {
  return db.soon(
      "UPDATE paddock_leader SET changes_given = $1, objects_given = $2, audit_given = $3",
      {postgres::number(given[0]), postgres::number(given[1]), postgres::number(given[2])});
}

Status name_holder(postgres::Connection& db, const PostgresOptions& options) {
  return db.soon("UPDATE paddock_leader SET holder = $1, holder_name = $2",
                 {postgres::text(options.holder), postgres::text(options.holder_name)});
}

Status mark_brought(postgres::Connection& db, const std::string& id) {
  return remark(db, kBroughtTable, id);
}

Status hold_source(postgres::Connection& db, const PostgresOptions& options) {
  ASSIGN_OR_RETURN(const int64_t version, postgres::stored_schema(db));
  if (version == 0)
    return Error{Code::kFailedPrecondition, "STORE_NOTHING_TO_MOVE",
                 "the database has no store; name the one that has it"};
  if (version > postgres::schema_version()) return postgres::schema_too_new(version);
  if (version < postgres::schema_version())
    return Error{Code::kFailedPrecondition, "STORE_SCHEMA_TOO_OLD",
                 "the database is of an older version; start this version's controller with it "
                 "once, then move it"};
  return postgres::hold_lead(db, options);
}

Status mark_taken(postgres::Connection& db, const std::string& id, const std::string& place) {
  TRY(db.soon(cat("ALTER TABLE ", kBroughtTable, " RENAME TO ", postgres::kMovedAway)));
  return remark(db, postgres::kMovedAway, id, place);
}

Result<bool> has_brought(const PostgresOptions& options, const std::string& id) {
  return has_remark(options, kBroughtTable, id);
}

Result<bool> has_taken(const PostgresOptions& options, const std::string& id) {
  return has_remark(options, postgres::kMovedAway, id);
}

}  // namespace paddock::store::move
