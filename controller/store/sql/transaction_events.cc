// A run's events and how much of its output they hold.
#include "controller/store/phase_records.h"
#include "controller/store/sql/phase_statement.h"
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

namespace {
// A foreign key that leads nowhere means that there is no such run.
Status for_run(const std::string& run_uid, Connection& db, Status done) {
  if (!done.ok() && db.missed_a_row()) return internal::not_found("Run", {{}, run_uid});
  return done;
}
}  // namespace

Result<std::vector<contracts::RunEvent>> Transaction::run_events(const std::string& run_uid,
                                                                 int64_t after, int64_t limit) {
  Statement rows = db_.prepare(
      "SELECT id, time_ms, type, data FROM run_events WHERE run_uid = ? AND id > ? ORDER BY id "
      "LIMIT ?");
  rows.bind(run_uid).bind(after).bind(limit > 0 ? limit : kNoLimit);
  return rows.all([](const Statement& row) {
    return contracts::RunEvent{row.integer(0), row.integer(1), row.text(2), row.text(3)};
  });
}

Result<std::vector<PhaseRecord>> Transaction::phase_records(const PhaseQuery& query) {
  Statement rows = db_.prepare(phase_statement(query));
  rows.bind(query.after_object).bind(query.after_event);
  rows.bind(query.limit > 0 ? query.limit : kNoLimit);
  if (query.name_space) rows.bind(std::string_view(*query.name_space));
  if (!query.name_space || !query.run_name.empty()) rows.bind(std::string_view(query.run_name));
  return rows.all([](const Statement& row) {
    return PhaseRecord{
        row.integer(0),
        {row.text(1), row.text(2)},
        row.text(3),
        {row.integer(4), row.integer(5), std::string(contracts::kEventPhase), row.text(6)},
        row.integer(7)};
  });
}

Result<int64_t> Transaction::last_event_id(const std::string& run_uid) {
  Statement newest = db_.prepare("SELECT max(id) FROM run_events WHERE run_uid = ?");
  ASSIGN_OR_RETURN(const std::optional<int64_t> id, newest.bind(run_uid).single_integer());
  return id.value_or(0);
}

Status Transaction::append_event(const std::string& run_uid, contracts::RunEvent& event) {
  ASSIGN_OR_RETURN(RunHead* const head, head_of(run_uid));
  event.id = head->last_event + 1;
  std::optional<int64_t> version;
  if (event.type == contracts::kEventPhase) {
    ASSIGN_OR_RETURN(version, announce_phase(run_uid, *head, event));
  }
  Statement insert = db_.prepare(
      "INSERT INTO run_events (run_uid, id, time_ms, type, data, resource_version) "
      "VALUES (?, ?, ?, ?, ?, ?)");
  insert.bind(run_uid).bind(event.id).bind(event.time_ms).bind(event.type).bind(Blob{event.data});
  insert.bind(version);
  TRY(insert.run_soon());
  head->last_event = event.id;
  return {};
}

Result<Transaction::RunHead*> Transaction::head_of(const std::string& run_uid) {
  const auto known = heads_.find(run_uid);
  if (known != heads_.end()) return &known->second;
  Statement run = db_.prepare(
      "SELECT id, namespace, name, "
      "(SELECT max(run_events.id) FROM run_events WHERE run_uid = uid) "
      "FROM objects WHERE uid = ? AND kind = 'Run'");
  ASSIGN_OR_RETURN(const bool found, run.bind(run_uid).step());
  if (!found) return internal::not_found("Run", {{}, run_uid});
  RunHead& head = heads_[run_uid];
  head = {run.integer(0), {run.text(1), run.text(2)}, run.integer(3)};
  return &head;
}

Result<int64_t> Transaction::announce_phase(const std::string& run_uid, const RunHead& head,
                                            const contracts::RunEvent& event) {
  PhaseRecord record{head.object_id, head.key, run_uid, event, 0};
  const Key key = phase_key(record);
  ASSIGN_OR_RETURN(record.resource_version,
                   record_change(kPhaseKind, key, ObjectWrite::Op::kCreate));
  TRY(announce({record.resource_version,
                kPhaseKind,
                key,
                ObjectWrite::Op::kCreate,
                {},
                phase_text(record)}));
  return record.resource_version;
}

Status Transaction::announce_lost_phases(const Key& run) {
  PhaseQuery query;
  query.name_space = run.name_space;
  query.run_name = run.name;
  ASSIGN_OR_RETURN(const std::vector<PhaseRecord> records, phase_records(query));
  for (const PhaseRecord& record : records) {
    const Key key = phase_key(record);
    ASSIGN_OR_RETURN(const int64_t version,
                     record_change(kPhaseKind, key, ObjectWrite::Op::kDelete));
    TRY(announce({version, kPhaseKind, key, ObjectWrite::Op::kDelete, phase_text(record), {}}));
  }
  return {};
}

Result<int64_t> Transaction::output_acked(const std::string& run_uid, int64_t attempt) {
  if (const RunFacts* known = ahead_.facts(run_uid)) {
    const auto stored = known->output.find(attempt);
    return stored != known->output.end() ? stored->second : 0;
  }
  Statement row = db_.prepare("SELECT last_seq FROM run_output WHERE run_uid = ? AND attempt = ?");
  ASSIGN_OR_RETURN(const std::optional<int64_t> seq,
                   row.bind(run_uid).bind(attempt).single_integer());
  return seq.value_or(0);
}

Status Transaction::put_output_acked(const std::string& run_uid, int64_t attempt, int64_t seq) {
  // Numbered, so that rows of a batch are not gathered: one may be put twice.
  Statement put = db_.prepare(
      "INSERT INTO run_output (run_uid, attempt, last_seq) VALUES (?1, ?2, ?3) "
      "ON CONFLICT (run_uid, attempt) DO UPDATE SET last_seq = excluded.last_seq");
  put.bind(run_uid).bind(attempt).bind(seq);
  if (!is_known_run(run_uid)) return for_run(run_uid, db_, put.run());
  TRY(put.run_soon());
  if (RunFacts* known = ahead_.facts(run_uid)) known->output[attempt] = seq;
  return {};
}

Result<Transaction::AckedOutput> Transaction::output_acked_on(const std::string& node) {
  Statement rows = db_.prepare(
      "SELECT run_uid, attempt, last_seq FROM objects JOIN run_output ON run_uid = uid "
      "WHERE kind = 'Run' AND active = 1 AND node = ?");
  rows.bind(node);
  AckedOutput acked;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) return acked;
    acked[{rows.text(0), rows.integer(1)}] = rows.integer(2);
  }
}

}  // namespace paddock::store::sql
