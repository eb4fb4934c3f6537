#include "controller/store/sqlite/migrations.h"

#include <array>

#include "common/base/text.h"
#include "controller/store/sql/audit_chain.h"

namespace paddock::store::sqlite {

namespace {

// Step n takes a file from user_version n to n + 1. Steps that were released are never edited.
constexpr std::array kSteps = {
    R"sql(
-- Every write draws its resource version here; a history of changes for watches.
CREATE TABLE changes (
  resource_version INTEGER PRIMARY KEY AUTOINCREMENT,
  kind             TEXT NOT NULL,
  namespace        TEXT NOT NULL,
  name             TEXT NOT NULL,
  op               TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete'))
) STRICT;

-- API objects. `data` is the object's JSON; the columns repeat what is searched.
CREATE TABLE objects (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of creation
  kind             TEXT NOT NULL,
  namespace        TEXT NOT NULL,                      -- '' for kinds without one
  name             TEXT NOT NULL,
  uid              TEXT NOT NULL UNIQUE CHECK (uid <> ''),
  resource_version INTEGER NOT NULL,
  active           INTEGER NOT NULL,                   -- 1: a run that is not terminal
  node             TEXT NOT NULL,                      -- of a placed run
  data             TEXT NOT NULL,
  UNIQUE (kind, namespace, name)
) STRICT;
CREATE INDEX objects_active ON objects (kind, node, id) WHERE active = 1;

-- What a run's stream shows; ids grow by one within a run.
CREATE TABLE run_events (
  run_uid TEXT NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  id      INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  type    TEXT NOT NULL,
  data    BLOB NOT NULL,
  PRIMARY KEY (run_uid, id)
) STRICT;

-- The highest output chunk of an attempt that became an event.
CREATE TABLE run_output (
  run_uid  TEXT NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  attempt  INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  PRIMARY KEY (run_uid, attempt)
) STRICT;

CREATE TABLE tokens (
  id         TEXT PRIMARY KEY,
  hash       TEXT NOT NULL UNIQUE,
  subject    TEXT NOT NULL,
  scopes     TEXT NOT NULL,      -- separated by spaces
  namespace  TEXT NOT NULL,
  expires_ms INTEGER,
  revoked    INTEGER NOT NULL
) STRICT;

CREATE TABLE settings (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE idempotent_creates (
  scope          TEXT NOT NULL,
  key            TEXT NOT NULL,
  name           TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT;
)sql",
    R"sql(
-- When a run ended, to find the oldest ones; and the keys that made a run, to forget them with it.
ALTER TABLE objects ADD COLUMN finished_ms INTEGER;
UPDATE objects
SET finished_ms = CAST(round((julianday(json_extract(data, '$.status.finishedAt')) - 2440587.5)
                             * 86400000.0) AS INTEGER)
WHERE kind = 'Run' AND active = 0 AND json_extract(data, '$.status.finishedAt') IS NOT NULL;
CREATE INDEX objects_finished ON objects (finished_ms) WHERE finished_ms IS NOT NULL;
CREATE INDEX idempotent_creates_name ON idempotent_creates (name);
)sql",
    R"sql(
-- The changes of phase among a run's events, without its output: what clients are told as events.
CREATE INDEX run_events_phase ON run_events (run_uid, id) WHERE type = 'phase';
)sql",
    R"sql(
-- What happened, for whoever has to answer for it. `data` is the event's JSON without its id; the
-- columns repeat what is searched. It outlives the objects that it names.
CREATE TABLE audit (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  time_ms   INTEGER NOT NULL,
  type      TEXT NOT NULL,
  subject   TEXT NOT NULL,
  namespace TEXT NOT NULL,
  session   TEXT NOT NULL,
  data      TEXT NOT NULL
) STRICT;
)sql",
    R"sql(
-- What is secret of a ToolToken: the object itself has no part of it.
CREATE TABLE tool_tokens (
  token_uid  TEXT PRIMARY KEY REFERENCES objects (uid) ON DELETE CASCADE,
  hash       TEXT NOT NULL UNIQUE,
  run_uid    TEXT NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX tool_tokens_run ON tool_tokens (run_uid);
CREATE INDEX tool_tokens_expiry ON tool_tokens (expires_ms);

-- Of agent runs: the start of a line whose end is not here yet, in parts so that it can grow without
-- being written again; and lines for their input.
CREATE TABLE run_lines (
  run_uid TEXT NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  part    INTEGER NOT NULL,
  data    BLOB NOT NULL,
  PRIMARY KEY (run_uid, attempt, part)
) STRICT;
CREATE TABLE run_inputs (
  run_uid     TEXT NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  attempt     INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  tool_use_id TEXT NOT NULL,
  data        BLOB NOT NULL,
  acked       INTEGER NOT NULL,
  PRIMARY KEY (run_uid, attempt, seq),
  UNIQUE (run_uid, attempt, tool_use_id)
) STRICT;
)sql",
    R"sql(
-- What is secret of a run's tool bundle: the object has a summary of it.
CREATE TABLE run_bundles (
  run_uid TEXT PRIMARY KEY REFERENCES objects (uid) ON DELETE CASCADE,
  data    TEXT NOT NULL
) STRICT;
)sql",
    R"sql(
-- When a session is to be looked at next: it ends if nobody used it until then. Each use moves it.
CREATE TABLE session_deadlines (
  uid    TEXT PRIMARY KEY REFERENCES objects (uid) ON DELETE CASCADE,
  due_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX session_deadlines_due ON session_deadlines (due_ms);
)sql",
    R"sql(
-- Of a change of phase: its place among all changes, for watches. Older ones have none.
ALTER TABLE run_events ADD COLUMN resource_version INTEGER;
)sql",
    R"sql(
CREATE INDEX tokens_end ON tokens (revoked, expires_ms);
)sql",
    R"sql(
-- Which blobs a run's node sent as its artifacts, until its outcome names them. Of the runs that are
-- under way now nobody wrote it down: '*' is any.
CREATE TABLE sent_blobs (
  run_uid TEXT NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  digest  TEXT NOT NULL,
  PRIMARY KEY (run_uid, digest)
) STRICT, WITHOUT ROWID;
INSERT INTO sent_blobs SELECT uid, '*' FROM objects WHERE kind = 'Run' AND active = 1;
)sql",
    R"sql(
-- The values of a Secret, each sealed with a key that is not in this file. The object has no part
-- of them but their names and sizes.
CREATE TABLE secret_values (
  secret_uid TEXT NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  name       TEXT NOT NULL,
  key_id     TEXT NOT NULL,
  sealed     BLOB NOT NULL,
  PRIMARY KEY (secret_uid, name)
) STRICT;
CREATE INDEX secret_values_key ON secret_values (key_id);
)sql",
    R"sql(
-- Lists whose newest come first: behind the columns of an index stands the row's number.
CREATE INDEX objects_newest ON objects (kind, namespace);
)sql",
    R"sql(
-- What links a record to the one before it (common/audit_chain). Those that are there get theirs now.
ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT '';
)sql",
    R"sql(
-- The same table with another check: for IN and three words SQLite makes a table in memory at each
-- insert, which was half of what a change cost. The numbers that were given stay given.
CREATE TABLE changes_anew (
  resource_version INTEGER PRIMARY KEY AUTOINCREMENT,
  kind             TEXT NOT NULL,
  namespace        TEXT NOT NULL,
  name             TEXT NOT NULL,
  op               TEXT NOT NULL CHECK (op = 'create' OR op = 'update' OR op = 'delete')
) STRICT;
INSERT INTO changes_anew SELECT * FROM changes;
DELETE FROM sqlite_sequence WHERE name = 'changes_anew';
INSERT INTO sqlite_sequence (name, seq)
SELECT 'changes_anew', seq FROM sqlite_sequence WHERE name = 'changes';
DROP TABLE changes;
ALTER TABLE changes_anew RENAME TO changes;
)sql",
};

// The part of a migration step that SQL cannot do.
struct Also {
  int64_t step;
  Status (*make)(sql::Connection&);
};
constexpr std::array kAlso = {Also{12, sql::chain_records}};

Status apply_steps(Connection& db, int64_t from, int64_t to) {
  for (int64_t step = from; step < to; ++step) {
    TRY(db.execute(kSteps.at(static_cast<size_t>(step))));
    for (const Also& also : kAlso) {
      if (also.step == step) TRY(also.make(db));
    }
  }
  TRY(db.execute(
      cat("PRAGMA application_id=", kApplicationId, "; PRAGMA user_version=", to).c_str()));
  return db.execute("COMMIT");
}

}  // namespace

int64_t schema_version() { return static_cast<int64_t>(kSteps.size()); }

Status migrate(Connection& db, int64_t to) {
  ASSIGN_OR_RETURN(const int64_t from, db.pragma("PRAGMA user_version"));
  if (from == to) return {};
  TRY(db.execute("BEGIN IMMEDIATE"));
  Status applied = apply_steps(db, from, to);
  if (!applied.ok() && db.in_transaction()) {
    if (Status undone = db.execute("ROLLBACK"); !undone.ok()) return undone;
  }
  return applied;
}

}  // namespace paddock::store::sqlite
