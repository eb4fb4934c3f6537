// Agent runs: lines of output that are not whole yet, and lines for their input.
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

namespace {

constexpr size_t kPartBytes = 4096;  // a part that is smaller grows

}  // namespace

Result<std::string> Transaction::open_line(const std::string& run_uid, int64_t attempt) {
  ASSIGN_OR_RETURN(OpenLine line, parts_of_line(run_uid, attempt));
  return std::move(line.text);
}

Result<Transaction::OpenLine> Transaction::parts_of_line(const std::string& run_uid,
                                                         int64_t attempt) {
  const RunFacts* known = ahead_.facts(run_uid);
  if (known != nullptr && !known->has_open_line) return OpenLine();
  Statement rows = db_.prepare(
      "SELECT data, part FROM run_lines WHERE run_uid = ? AND attempt = ? ORDER BY part");
  rows.bind(run_uid).bind(attempt);
  OpenLine line;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) return line;
    line.last_begins = line.text.size();
    line.last_part = rows.integer(1);
    line.text += rows.text(0);
  }
}

// Writes only what the line has grown by, together with its last part while that is small.
Status Transaction::put_open_line(const std::string& run_uid, int64_t attempt,
                                  const std::string& line) {
  ASSIGN_OR_RETURN(OpenLine before, parts_of_line(run_uid, attempt));
  if (!line.starts_with(before.text)) {
    TRY(db_.prepare("DELETE FROM run_lines WHERE run_uid = ? AND attempt = ?")
            .bind(run_uid)
            .bind(attempt)
            .run());
    before = {};
  }
  if (RunFacts* known = ahead_.facts(run_uid)) known->has_open_line = true;
  const bool grows = before.text.size() - before.last_begins < kPartBytes;
  const size_t from = grows ? before.last_begins : before.text.size();
  return db_
      .prepare(
          "INSERT INTO run_lines (run_uid, attempt, part, data) VALUES (?, ?, ?, ?) "
          "ON CONFLICT (run_uid, attempt, part) DO UPDATE SET data = excluded.data")
      .bind(run_uid)
      .bind(attempt)
      .bind(before.last_part + int64_t{!grows})
      .bind(Blob{std::string_view(line).substr(from)})
      .run();
}

Result<std::vector<contracts::RunInput>> Transaction::run_inputs(const std::string& run_uid,
                                                                 int64_t attempt) {
  Statement rows = db_.prepare(
      "SELECT seq, data FROM run_inputs WHERE run_uid = ? AND attempt = ? AND acked = 0 "
      "ORDER BY seq");
  rows.bind(run_uid).bind(attempt);
  return rows.all([](const Statement& row) {
    return contracts::RunInput{row.integer(0), row.text(1)};
  });
}

Result<Transaction::RunInputs> Transaction::run_inputs_on(const std::string& node) {
  Statement rows = db_.prepare(
      "SELECT run_uid, attempt, seq, run_inputs.data FROM objects JOIN run_inputs ON run_uid = uid "
      "WHERE kind = 'Run' AND active = 1 AND node = ? AND acked = 0 "
      "ORDER BY run_uid, attempt, seq");
  rows.bind(node);
  RunInputs inputs;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) return inputs;
    inputs[{rows.text(0), rows.integer(1)}].push_back({rows.integer(2), rows.text(3)});
  }
}

Result<bool> Transaction::was_answered(const std::string& run_uid, int64_t attempt,
                                       const std::string& tool_use_id) {
  Statement row =
      db_.prepare("SELECT 1 FROM run_inputs WHERE run_uid = ? AND attempt = ? AND tool_use_id = ?");
  return row.bind(run_uid).bind(attempt).bind(tool_use_id).step();
}

Status Transaction::append_input(const std::string& run_uid, int64_t attempt,
                                 const std::string& tool_use_id, contracts::RunInput& input) {
  ASSIGN_OR_RETURN(const bool taken, was_answered(run_uid, attempt, tool_use_id));
  if (taken)
    return Error{Code::kAlreadyExists, "TOOL_USE_ANSWERED", "this tool use was answered already"};
  Statement newest =
      db_.prepare("SELECT max(seq) FROM run_inputs WHERE run_uid = ? AND attempt = ?");
  newest.bind(run_uid).bind(attempt);
  ASSIGN_OR_RETURN(const std::optional<int64_t> last, newest.single_integer());
  input.seq = last.value_or(0) + 1;
  return db_
      .prepare(
          "INSERT INTO run_inputs (run_uid, attempt, seq, tool_use_id, data, acked) "
          "VALUES (?, ?, ?, ?, ?, 0)")
      .bind(run_uid)
      .bind(attempt)
      .bind(input.seq)
      .bind(tool_use_id)
      .bind(Blob{input.data})
      .run();
}

// Drops the text of inputs that the node has written; the fact that they were answered is kept. A
// node that wrote more lines than we know of is ahead of a backup that was restored: the next
// answer then goes behind its last line, where it will be read.
Status Transaction::ack_inputs(const std::string& run_uid, int64_t attempt, int64_t seq) {
  Statement behind = db_.prepare(
      "INSERT INTO run_inputs (run_uid, attempt, seq, tool_use_id, data, acked) "
      "SELECT ?1, ?2, ?3, '', ?4, 1 WHERE ?3 BETWEEN 1 AND 1000000000 AND ?3 > "
      "coalesce((SELECT max(seq) FROM run_inputs WHERE run_uid = ?1 AND attempt = ?2), 0) "
      "ON CONFLICT (run_uid, attempt, tool_use_id) DO UPDATE SET seq = excluded.seq");
  behind.bind(run_uid).bind(attempt).bind(seq).bind(Blob{});
  TRY(is_known_run(run_uid) ? behind.run_soon() : behind.run());
  return db_
      .prepare(
          "UPDATE run_inputs SET acked = 1, data = ? WHERE run_uid = ? AND attempt = ? "
          "AND seq <= ? AND acked = 0")
      .bind(Blob{})
      .bind(run_uid)
      .bind(attempt)
      .bind(seq)
      .run_soon();
}

Status Transaction::drop_inputs_before(const std::string& run_uid, int64_t attempt) {
  return db_.prepare("DELETE FROM run_inputs WHERE run_uid = ? AND attempt < ?")
      .bind(run_uid)
      .bind(attempt)
      .run_soon();
}

}  // namespace paddock::store::sql
