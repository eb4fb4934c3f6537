#include "bench/control/history.h"

#include "bench/control/database.h"
#include "bench/control/give_up.h"
#include "common/base/text.h"

namespace paddock::bench {
namespace {

constexpr int64_t kAuditKept = 500'000;    // retention.maxAuditEvents
constexpr int64_t kChangesKept = 100'000;  // as the store does

// What differs from copy to copy stands for itself in every text: the name, the uid, the version.
// The numbers are of one width, so that texts stay as long as they were.
const std::string kCopies = R"sql(
CREATE TEMP TABLE seed AS SELECT uid, resource_version AS version, node, finished_ms, data
  FROM objects WHERE kind = 'Run' AND name = 'seed-0000000';
CREATE TEMP TABLE base AS SELECT max(resource_version) AS version FROM changes;
CREATE TEMP TABLE copies AS
  WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < :count)
  SELECT i, printf('seed-%07d', i) AS name, substr(seed.uid, 1, 24) || printf('%012x', i) AS uid,
         base.version + i AS version
  FROM numbers, seed, base;
)sql";

const std::string kObjects = R"sql(
INSERT INTO objects (kind, namespace, name, uid, resource_version, active, node, finished_ms, data)
  SELECT 'Run', 'default', c.name, c.uid, c.version, 0, s.node, s.finished_ms + c.i / 1000,
         replace(replace(replace(s.data, 'seed-0000000', c.name), s.uid, c.uid),
                 '"resourceVersion":"' || s.version || '"',
                 '"resourceVersion":"' || c.version || '"')
  FROM copies c, seed s ORDER BY c.i;
)sql";

const std::string kEvents = R"sql(
INSERT INTO run_events (run_uid, id, time_ms, type, data)
  SELECT c.uid, e.id, e.time_ms + c.i / 1000, e.type, e.data
  FROM copies c, seed s JOIN run_events e ON e.run_uid = s.uid ORDER BY c.i, e.id;
INSERT INTO run_output (run_uid, attempt, last_seq)
  SELECT c.uid, o.attempt, o.last_seq
  FROM copies c, seed s JOIN run_output o ON o.run_uid = s.uid ORDER BY c.i;
)sql";

const std::string kAudit = R"sql(
CREATE TEMP TABLE told AS SELECT a.* FROM audit a, seed s
  WHERE instr(a.data, s.uid) > 0 OR a.session = s.uid;
INSERT INTO audit (time_ms, type, subject, namespace, session, data)
  SELECT a.time_ms + c.i / 1000, a.type, a.subject, a.namespace, replace(a.session, s.uid, c.uid),
         replace(replace(a.data, s.uid, c.uid), 'seed-0000000', c.name)
  FROM copies c, seed s, told a WHERE c.i > :count - :kept / max(1, (SELECT count(*) FROM told))
  ORDER BY c.i, a.id;
)sql";

const std::string kChanges = R"sql(
INSERT INTO changes (resource_version, kind, namespace, name, op)
  SELECT version, 'Run', 'default', name, 'update' FROM copies WHERE i > :count - :kept ORDER BY i;
)sql";

std::string filled(std::string sql, int64_t count, int64_t kept) {
  const auto fill = [&](std::string_view word, int64_t value) {
    for (size_t at = 0; (at = sql.find(word, at)) != std::string::npos;)
      sql.replace(at, word.size(), std::to_string(value));
  };
  fill(":count", count);
  fill(":kept", kept);
  return sql;
}

}  // namespace

void multiply_seed(const std::string& store, int64_t count) {
  Database db(store);
  // If this breaks off the file is of no use; nobody has it but us.
  db.execute(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-1000000;"
      "PRAGMA temp_store=MEMORY; BEGIN;");
  db.execute(filled(kCopies, count, 0));
  require(db.number("SELECT count(*) FROM seed") == 1, "the run to copy is not there");
  db.execute(kObjects);
  db.execute(kEvents);
  db.execute(filled(kAudit, count, kAuditKept));
  db.execute(filled(kChanges, count, kChangesKept));
  db.execute("COMMIT");
  require(db.number("SELECT count(*) FROM objects WHERE kind = 'Run'") == count + 1,
          "some copies are missing");
}

}  // namespace paddock::bench
