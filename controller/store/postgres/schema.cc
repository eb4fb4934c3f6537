#include "controller/store/postgres/schema.h"

#include <array>
#include <string>

#include "common/base/text.h"

namespace paddock::store::postgres {

namespace {

// Step n takes a database from schema n to n + 1. Steps that were released are never edited. Texts
// sort by their bytes, whatever the database's language is: lists have one order in both engines.
constexpr std::array kSteps = {
    R"sql(
-- One row: who leads, until when on this server's clock, and the numbers that were given.
CREATE TABLE paddock_leader (
  one            BIGINT PRIMARY KEY CHECK (one = 1),
  schema_version BIGINT NOT NULL,
  epoch          BIGINT NOT NULL,
  holder         TEXT NOT NULL,
  holder_name    TEXT NOT NULL,
  lease_until    TIMESTAMPTZ NOT NULL,
  batch          BIGINT NOT NULL,
  changes_given  BIGINT NOT NULL,
  objects_given  BIGINT NOT NULL,
  audit_given    BIGINT NOT NULL
) WITH (fillfactor = 50);
INSERT INTO paddock_leader VALUES (1, 0, 0, '', '', 'epoch', 0, 0, 0, 0);
-- The last batch of each former epoch: whoever lost its connection in a commit asks here.
CREATE TABLE paddock_former (
  epoch BIGINT PRIMARY KEY,
  batch BIGINT NOT NULL
);

CREATE TABLE changes (
  resource_version BIGINT PRIMARY KEY,
  kind             TEXT COLLATE "C" NOT NULL,
  namespace        TEXT COLLATE "C" NOT NULL,
  name             TEXT COLLATE "C" NOT NULL,
  op               TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete'))
);

CREATE TABLE objects (
  id               BIGINT PRIMARY KEY,
  kind             TEXT COLLATE "C" NOT NULL,
  namespace        TEXT COLLATE "C" NOT NULL,
  name             TEXT COLLATE "C" NOT NULL,
  uid              TEXT COLLATE "C" NOT NULL UNIQUE CHECK (uid <> ''),
  resource_version BIGINT NOT NULL,
  active           BIGINT NOT NULL,
  node             TEXT COLLATE "C" NOT NULL,
  finished_ms      BIGINT,
  data             TEXT NOT NULL,
  UNIQUE (kind, namespace, name)
);
CREATE INDEX objects_active ON objects (kind, node, id) WHERE active = 1;
CREATE INDEX objects_finished ON objects (finished_ms) WHERE finished_ms IS NOT NULL;
CREATE INDEX objects_newest ON objects (kind, namespace, id);

CREATE TABLE run_events (
  run_uid          TEXT COLLATE "C" NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  id               BIGINT NOT NULL,
  time_ms          BIGINT NOT NULL,
  type             TEXT COLLATE "C" NOT NULL,
  data             BYTEA NOT NULL,
  resource_version BIGINT,
  PRIMARY KEY (run_uid, id)
);
CREATE INDEX run_events_phase ON run_events (run_uid, id) WHERE type = 'phase';

CREATE TABLE run_output (
  run_uid  TEXT COLLATE "C" NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  attempt  BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  PRIMARY KEY (run_uid, attempt)
);

CREATE TABLE run_lines (
  run_uid TEXT COLLATE "C" NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  attempt BIGINT NOT NULL,
  part    BIGINT NOT NULL,
  data    BYTEA NOT NULL,
  PRIMARY KEY (run_uid, attempt, part)
);

CREATE TABLE run_inputs (
  run_uid     TEXT COLLATE "C" NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  attempt     BIGINT NOT NULL,
  seq         BIGINT NOT NULL,
  tool_use_id TEXT COLLATE "C" NOT NULL,
  data        BYTEA NOT NULL,
  acked       BIGINT NOT NULL,
  PRIMARY KEY (run_uid, attempt, seq),
  UNIQUE (run_uid, attempt, tool_use_id)
);

CREATE TABLE run_bundles (
  run_uid TEXT COLLATE "C" PRIMARY KEY REFERENCES objects (uid) ON DELETE CASCADE,
  data    TEXT NOT NULL
);

CREATE TABLE sent_blobs (
  run_uid TEXT COLLATE "C" NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  digest  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (run_uid, digest)
);

CREATE TABLE session_deadlines (
  uid    TEXT COLLATE "C" PRIMARY KEY REFERENCES objects (uid) ON DELETE CASCADE,
  due_ms BIGINT NOT NULL
);
CREATE INDEX session_deadlines_due ON session_deadlines (due_ms);

CREATE TABLE tool_tokens (
  token_uid  TEXT COLLATE "C" PRIMARY KEY REFERENCES objects (uid) ON DELETE CASCADE,
  hash       TEXT COLLATE "C" NOT NULL UNIQUE,
  run_uid    TEXT COLLATE "C" NOT NULL,
  expires_ms BIGINT NOT NULL
);
CREATE INDEX tool_tokens_run ON tool_tokens (run_uid);
CREATE INDEX tool_tokens_expiry ON tool_tokens (expires_ms);

CREATE TABLE secret_values (
  secret_uid TEXT COLLATE "C" NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  name       TEXT COLLATE "C" NOT NULL,
  key_id     TEXT COLLATE "C" NOT NULL,
  sealed     BYTEA NOT NULL,
  PRIMARY KEY (secret_uid, name)
);
CREATE INDEX secret_values_key ON secret_values (key_id);

CREATE TABLE audit (
  id        BIGINT PRIMARY KEY,
  time_ms   BIGINT NOT NULL,
  type      TEXT COLLATE "C" NOT NULL,
  subject   TEXT COLLATE "C" NOT NULL,
  namespace TEXT COLLATE "C" NOT NULL,
  session   TEXT COLLATE "C" NOT NULL,
  data      TEXT NOT NULL,
  hash      TEXT NOT NULL DEFAULT ''
);

CREATE TABLE tokens (
  id         TEXT COLLATE "C" PRIMARY KEY,
  hash       TEXT COLLATE "C" NOT NULL UNIQUE,
  subject    TEXT COLLATE "C" NOT NULL,
  scopes     TEXT COLLATE "C" NOT NULL,
  namespace  TEXT COLLATE "C" NOT NULL,
  expires_ms BIGINT,
  revoked    BIGINT NOT NULL
);
CREATE INDEX tokens_end ON tokens (revoked, expires_ms);

CREATE TABLE settings (
  key   TEXT COLLATE "C" PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE idempotent_creates (
  scope          TEXT COLLATE "C" NOT NULL,
  key            TEXT COLLATE "C" NOT NULL,
  name           TEXT COLLATE "C" NOT NULL,
  request_digest TEXT NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotent_creates_name ON idempotent_creates (name);
)sql",
    R"sql(
-- For controllers that follow and do not lead: what each of the newest changes made of what, written
-- while anybody follows; and until when somebody does. A crash of the server may empty both, and a
-- replica has none of it: whoever misses a row begins anew, so it costs no log.
CREATE UNLOGGED TABLE paddock_change_texts (
  resource_version BIGINT PRIMARY KEY,
  before           TEXT NOT NULL,
  after            TEXT NOT NULL
);
CREATE UNLOGGED TABLE paddock_followed (
  one   BIGINT PRIMARY KEY CHECK (one = 1),
  until TIMESTAMPTZ NOT NULL,
  mark  TEXT NOT NULL  -- made with the row: another one tells that all of this was emptied
);
)sql",
    R"sql(
-- For lists by number alone, which say that there are none below 0. Until a table is analyzed, this
-- index and the key's look equally good for one name, and by this one all of the namespace was read.
DROP INDEX objects_newest;
CREATE INDEX objects_newest ON objects (kind, namespace, id) WHERE id >= 0;
)sql",
};

// A DO block holds any number of statements: the protocol takes one at a time.
std::string as_one(std::string_view steps) { return cat("DO $step$ BEGIN ", steps, " END $step$"); }

}  // namespace

int64_t schema_version() { return static_cast<int64_t>(kSteps.size()); }

Error schema_too_new(int64_t version) {
  return {Code::kFailedPrecondition, "STORE_SCHEMA_TOO_NEW",
          cat("the database has schema ", version, ", this program knows up to ", schema_version(),
              "; install the newer version")};
}

Result<int64_t> count_tables(Connection& db) {
  ASSIGN_OR_RETURN(const Answer found,
                   db.ask("SELECT count(*) FROM pg_class WHERE relnamespace = "
                          "current_schema()::regnamespace AND relkind IN ('r', 'p', 'v')"));
  return integer_in(found.get(), 0, 0);
}

namespace {

// The remark of the move has the place; one of an older version has none.
Error moved_away(Connection& db) {
  Error error{Code::kFailedPrecondition, "STORE_MOVED_AWAY",
              "the store of this database was moved to a file; remove store.postgres, or give the "
              "controller another database"};
  const auto row =
      db.ask("SELECT obj_description(to_regclass($1), 'pg_class')", {text(kMovedAway)});
  if (!row.ok()) return error;
  const std::string_view said = bytes_in(row->get(), 0, 0);
  constexpr std::string_view kTo = " to ";
  const size_t place = said.find(kTo);
  if (place == std::string_view::npos) return error;
  error.causes = {{"store.postgres.urlFile", cat("moved to ", said.substr(place + kTo.size()))}};
  return error;
}

}  // namespace

Result<int64_t> stored_schema(Connection& db) {
  ASSIGN_OR_RETURN(const Answer found,
                   db.ask("SELECT to_regclass('paddock_leader') IS NOT NULL, to_regclass($1) IS "
                          "NOT NULL",
                          {text(kMovedAway)}));
  if (integer_in(found.get(), 0, 1) != 0) return moved_away(db);
  if (integer_in(found.get(), 0, 0) == 0) {
    ASSIGN_OR_RETURN(const int64_t others, count_tables(db));
    if (others == 0) return 0;
    return Error{Code::kFailedPrecondition, "STORE_NOT_OURS",
                 "the database has tables of another program; give the controller a database of "
                 "its own"};
  }
  ASSIGN_OR_RETURN(const Answer version, db.ask("SELECT schema_version FROM paddock_leader"));
  return PQntuples(version.get()) > 0 ? integer_in(version.get(), 0, 0) : 0;
}

Status prepare_schema(Connection& db) {
  ASSIGN_OR_RETURN(const int64_t from, stored_schema(db));
  if (from > schema_version()) return schema_too_new(from);
  if (from == schema_version()) return {};
  for (int64_t step = from; step < schema_version(); ++step)
    TRY(db.soon(as_one(kSteps.at(static_cast<size_t>(step)))));
  TRY(db.soon("UPDATE paddock_leader SET schema_version = $1", {number(schema_version())}));
  return db.finish();
}

}  // namespace paddock::store::postgres
