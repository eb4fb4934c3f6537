// Objects by their key and active runs, decoded at most once for each state that they are in.
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

Statement Transaction::select_row(std::string_view kind, const Key& key) {
  Statement row = db_.prepare(
      "SELECT data, resource_version FROM objects WHERE kind = ? AND namespace = ? AND name = ?");
  row.bind(kind).bind(key.name_space).bind(key.name);
  return row;
}

Result<std::optional<ReadTxn::Row>> Transaction::find_row(std::string_view kind, const Key& key) {
  if (const AheadRow* known = ahead_.find(kind, key)) return std::optional(row_of(*known));
  Statement row = select_row(kind, key);
  ASSIGN_OR_RETURN(const bool found, row.step());
  if (!found) return std::optional<Row>();
  keep_ahead(kind, key, row);
  return std::optional<Row>(row_of(row));
}

Result<std::optional<ReadTxn::Row>> Transaction::find_text(std::string_view kind, const Key& key) {
  if (const AheadRow* known = ahead_.find(kind, key))
    return std::optional(Row{known->data, known->resource_version});
  Statement row = select_row(kind, key);
  ASSIGN_OR_RETURN(const bool found, row.step());
  if (!found) return std::optional<Row>();
  return std::optional<Row>(Row{row.text(0), row.integer(1)});
}

ReadTxn::Row Transaction::row_of(const Statement& row) {
  Row out{{}, row.integer(1), decoded_at(row.integer(1))};
  if (!out.decoded) out.data = row.text(0);
  return out;
}

ReadTxn::Row Transaction::row_of(const AheadRow& row) {
  Row out{{}, row.resource_version, decoded_at(row.resource_version)};
  if (!out.decoded) out.data = row.data;
  return out;
}

std::shared_ptr<const void> Transaction::decoded_at(int64_t resource_version) {
  if (!first_drawn_ || resource_version < *first_drawn_) return cache_.find(resource_version);
  const auto own = decoded_.find(resource_version);
  return own != decoded_.end() ? own->second.object : nullptr;
}

void Transaction::keep_decoded(int64_t resource_version, std::shared_ptr<const void> object,
                               size_t bytes) {
  Decoded decoded{resource_version, std::move(object), bytes};
  if (first_drawn_ && resource_version >= *first_drawn_) {
    decoded_.insert_or_assign(resource_version, std::move(decoded));
  } else {
    cache_.put(std::move(decoded));
  }
}

void Transaction::publish_decoded() {
  for (auto& [version, decoded] : decoded_) cache_.put(std::move(decoded));
  decoded_.clear();
}

Result<std::shared_ptr<const contracts::Run>> Transaction::look_at_run(const std::string& uid) {
  using Kept = std::shared_ptr<const contracts::Run>;
  if (const AheadRow* known = ahead_.find_run(uid))
    return decode_once<contracts::Run>(row_of(*known));
  Statement row =
      db_.prepare("SELECT data, resource_version FROM objects WHERE uid = ? AND kind = 'Run'");
  ASSIGN_OR_RETURN(const bool found, row.bind(uid).step());
  return found ? decode_once<contracts::Run>(row_of(row)) : Result<Kept>(Kept());
}

Result<contracts::Run> Transaction::run_by_uid(const std::string& uid) {
  ASSIGN_OR_RETURN(const auto kept, look_at_run(uid));
  if (!kept) return internal::not_found("Run", {{}, uid});
  return contracts::Run(*kept);
}

Status Transaction::visit_runs(Statement rows,
                               const std::function<void(const contracts::Run&)>& visit) {
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) return {};
    ASSIGN_OR_RETURN(const auto kept, decode_once<contracts::Run>(row_of(rows)));
    visit(*kept);
  }
}

Status Transaction::visit_active_runs(const std::function<void(const contracts::Run&)>& visit) {
  return visit_runs(
      db_.prepare("SELECT data, resource_version FROM objects WHERE kind = 'Run' AND active = 1 "
                  "ORDER BY id"),
      visit);
}

Status Transaction::visit_active_runs_on(const std::string& node,
                                         const std::function<void(const contracts::Run&)>& visit) {
  Statement rows = db_.prepare(
      "SELECT data, resource_version FROM objects WHERE kind = 'Run' AND active = 1 AND node = ? "
      "ORDER BY id");
  rows.bind(node);
  return visit_runs(std::move(rows), visit);
}

Result<std::vector<contracts::Run>> Transaction::active_runs() {
  std::vector<contracts::Run> runs;
  TRY(visit_active_runs([&](const contracts::Run& run) { runs.push_back(run); }));
  return runs;
}

Result<std::vector<contracts::Run>> Transaction::active_runs_on(const std::string& node) {
  std::vector<contracts::Run> runs;
  TRY(visit_active_runs_on(node, [&](const contracts::Run& run) { runs.push_back(run); }));
  return runs;
}

}  // namespace paddock::store::sql
