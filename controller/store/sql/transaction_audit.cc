// The audit log: appended to, read, shortened from its old end, and served as the chain that it is.
#include <algorithm>

#include "common/audit_chain/chain.h"
#include "common/wire/json.h"
#include "controller/store/sql/audit_chain.h"
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

namespace {

constexpr size_t kMostPageBytes = size_t{2} << 20;

Result<contracts::AuditEvent> event_from(const Statement& row) {
  ASSIGN_OR_RETURN(const wire::Value data, wire::parse_json(row.text(1)));
  ASSIGN_OR_RETURN(auto event, wire::decode<contracts::AuditEvent>(data));
  event.id = row.integer(0);
  return event;
}

// Whether searches find a record by what it says: the columns behind its data and link repeat that.
bool is_filed(const Statement& row) {
  const auto event = event_from(row);
  return event.ok() && event->time.value.ms == row.integer(3) && event->type == row.text(4) &&
         event->subject == row.text(5) && event->name_space == row.text(6) &&
         event->session_id == row.text(7);
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
  rows.bind(query.limit > 0 ? query.limit : kNoLimit);
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
  const std::string data = wire::encode_json(event);
  ASSIGN_OR_RETURN(const NextLink next, next_link(db_));
  const std::string hash = audit_chain::link(next.before, next.id, data);
  TRY(db_.prepare("INSERT INTO audit (id, time_ms, type, subject, namespace, session, data, hash) "
                  "VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
          .bind(next.id)
          .bind(event.time.value.ms)
          .bind(event.type)
          .bind(event.subject)
          .bind(event.name_space)
          .bind(event.session_id)
          .bind(data)
          .bind(hash)
          .run_soon());
  db_.put_newest_link(hash);
  event.id = next.id;
  return {};
}

// Never one in the middle: the first that has to stay keeps all behind it, whatever their times.
// The newest one stays: a controller that starts tells by it whether the clock leapt. Records are
// numbered without a gap, so nothing is counted, and what stays is not looked at.
Result<int64_t> Transaction::prune_audit(int64_t before_ms, int64_t keep, int64_t most) {
  Statement row = db_.prepare(
      "SELECT id, hash FROM audit WHERE id < (SELECT min(id) FROM audit) + ?1 "
      "AND id < (SELECT max(id) FROM audit) AND id < coalesce((SELECT id FROM audit WHERE "
      "id < (SELECT min(id) FROM audit) + ?1 AND id > (SELECT max(id) FROM audit) - ?3 "
      "AND time_ms >= ?2 ORDER BY id LIMIT 1), 9223372036854775807) ORDER BY id DESC LIMIT 1");
  ASSIGN_OR_RETURN(const bool due, row.bind(most).bind(before_ms).bind(keep).step());
  if (!due) return 0;
  const contracts::ChainPlace anchor{row.integer(0), row.text(1)};
  TRY(put_audit_anchor(db_, anchor));
  return db_.prepare("DELETE FROM audit WHERE id <= ?").bind(anchor.id).run_counted();
}

Result<contracts::AuditChainPage> Transaction::audit_chain(std::optional<int64_t> after,
                                                           int64_t limit) {
  contracts::AuditChainPage page;
  ASSIGN_OR_RETURN(page.anchor, audit_anchor(db_));
  ASSIGN_OR_RETURN(page.last_given, db_.last_given(Series::kAudit));
  Statement rows = db_.prepare(
      "SELECT id, data, hash, time_ms, type, subject, namespace, session FROM audit "
      "WHERE id > ? ORDER BY id LIMIT ?");
  rows.bind(after.value_or(page.anchor.id)).bind(limit);
  for (size_t bytes = 0; bytes < kMostPageBytes;) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) break;
    page.items.push_back({rows.integer(0), rows.text(2), rows.text(1), !is_filed(rows)});
    bytes += page.items.back().record.size();
  }
  return page;
}

Result<contracts::ChainPlace> Transaction::audit_head() { return sql::audit_head(db_); }

}  // namespace paddock::store::sql
