// Sessions: which live where, and when each is to be looked at next.
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

Result<std::vector<std::string>> Transaction::sessions_on(const std::string& node) {
  Statement rows = db_.prepare(
      "SELECT uid FROM objects WHERE kind = 'Sandbox' AND active = 1 AND node = ? ORDER BY uid");
  rows.bind(node);
  return rows.all([](const Statement& row) { return row.text(0); });
}

Result<std::vector<Key>> Transaction::session_keys_on(const std::string& node) {
  Statement rows = db_.prepare(
      "SELECT namespace, name FROM objects WHERE kind = 'Sandbox' AND active = 1 AND node = ? "
      "ORDER BY namespace, name");
  rows.bind(node);
  return rows.all(key_in);
}

Result<std::vector<Key>> Transaction::living_sessions() {
  Statement rows = db_.prepare(
      "SELECT namespace, name FROM objects WHERE kind = 'Sandbox' AND active = 1 "
      "ORDER BY namespace, name");
  return rows.all(key_in);
}

Result<std::map<std::string, int64_t>> Transaction::session_counts() {
  Statement rows = db_.prepare(
      "SELECT node, count(*) FROM objects WHERE kind = 'Sandbox' AND active = 1 GROUP BY node");
  std::map<std::string, int64_t> counts;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) return counts;
    counts[rows.text(0)] = rows.integer(1);
  }
}

Result<std::vector<DueSession>> Transaction::sessions_due(int64_t now_ms, int64_t limit) {
  Statement rows = db_.prepare(
      "SELECT namespace, name, uid FROM session_deadlines JOIN objects USING (uid) "
      "WHERE due_ms <= ? ORDER BY due_ms LIMIT ?");
  rows.bind(now_ms).bind(limit);
  return rows.all([](const Statement& row) { return DueSession{key_in(row), row.text(2)}; });
}

Result<std::optional<int64_t>> Transaction::next_session_due() {
  Statement row = db_.prepare("SELECT due_ms FROM session_deadlines ORDER BY due_ms LIMIT 1");
  ASSIGN_OR_RETURN(const bool found, row.step());
  if (!found) return std::optional<int64_t>();
  return std::optional<int64_t>(row.integer(0));
}

Status Transaction::put_session_due(const std::string& uid, int64_t due_ms) {
  return db_
      .prepare(
          "INSERT INTO session_deadlines (uid, due_ms) VALUES (?, ?) "
          "ON CONFLICT (uid) DO UPDATE SET due_ms = excluded.due_ms")
      .bind(uid)
      .bind(due_ms)
      .run();
}

Status Transaction::put_off_sessions(int64_t by_ms) {
  return db_.prepare("UPDATE session_deadlines SET due_ms = due_ms + ?").bind(by_ms).run();
}

}  // namespace paddock::store::sql
