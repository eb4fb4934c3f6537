// The audit log: appended to, read, and shortened from its old end.
#include <algorithm>

#include "common/wire/json.h"
#include "controller/store/sqlite/transaction.h"

namespace paddock::store::sqlite {

namespace {

Result<contracts::AuditEvent> event_from(const Statement& row) {
  ASSIGN_OR_RETURN(const wire::Value data, wire::parse_json(row.text(1)));
  ASSIGN_OR_RETURN(auto event, wire::decode<contracts::AuditEvent>(data));
  event.id = row.integer(0);
  return event;
}

}  // namespace

Result<std::vector<contracts::AuditEvent>> Transaction::audit_events(const AuditQuery& query) {
  const bool newest = !query.after;
  Statement rows = newest ? db_.prepare(
                                "SELECT id, data FROM audit WHERE id > ?1 AND time_ms >= ?2 "
                                "AND (?3 IS NULL OR namespace = ?4) AND (?5 = '' OR type = ?5) "
                                "AND (?6 = '' OR subject = ?6) AND (?7 = '' OR session = ?7) "
                                "ORDER BY id DESC LIMIT ?8")
                          : db_.prepare(
                                "SELECT id, data FROM audit WHERE id > ?1 AND time_ms >= ?2 "
                                "AND (?3 IS NULL OR namespace = ?4) AND (?5 = '' OR type = ?5) "
                                "AND (?6 = '' OR subject = ?6) AND (?7 = '' OR session = ?7) "
                                "ORDER BY id LIMIT ?8");
  rows.bind(query.after.value_or(0)).bind(query.since_ms);
  rows.bind(query.name_space ? std::optional<int64_t>(1) : std::nullopt);
  rows.bind(query.name_space ? std::string_view(*query.name_space) : std::string_view());
  rows.bind(query.type).bind(query.subject).bind(query.session_id);
  rows.bind(query.limit > 0 ? query.limit : int64_t{-1});
  std::vector<contracts::AuditEvent> events;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) break;
    ASSIGN_OR_RETURN(contracts::AuditEvent event, event_from(rows));
    events.push_back(std::move(event));
  }
  if (newest) std::ranges::reverse(events);
  return events;
}

Status Transaction::append_audit(contracts::AuditEvent& event) {
  event.id = 0;
  TRY(db_.prepare("INSERT INTO audit (time_ms, type, subject, namespace, session, data) "
                  "VALUES (?, ?, ?, ?, ?, ?)")
          .bind(event.time.value.ms)
          .bind(event.type)
          .bind(event.subject)
          .bind(event.name_space)
          .bind(event.session_id)
          .bind(wire::to_json(wire::encode(event)))
          .run());
  event.id = db_.last_insert_rowid();
  return {};
}

Result<int64_t> Transaction::prune_audit(int64_t before_ms, int64_t keep, int64_t most) {
  TRY(db_.prepare("DELETE FROM audit WHERE id IN (SELECT id FROM "
                  "(SELECT id, time_ms FROM audit ORDER BY id LIMIT ?1) WHERE time_ms < ?2 "
                  "OR id <= (SELECT id FROM audit ORDER BY id DESC LIMIT 1 OFFSET ?3))")
          .bind(most)
          .bind(before_ms)
          .bind(keep)
          .run());
  return int64_t{sqlite3_changes(db_.handle())};
}

}  // namespace paddock::store::sqlite
