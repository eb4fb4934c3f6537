// What changed, what ended, and what may be forgotten.
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

Result<std::optional<std::vector<ReadTxn::Change>>> Transaction::changes_after(
    int64_t resource_version) {
  using Changes = std::vector<Change>;
  ASSIGN_OR_RETURN(const int64_t newest, this->resource_version());
  if (resource_version == newest) return std::optional(Changes());
  Statement first = db_.prepare("SELECT min(resource_version) FROM changes");
  ASSIGN_OR_RETURN(const std::optional<int64_t> oldest, first.single_integer());
  const bool gone = resource_version > newest || !oldest || resource_version + 1 < *oldest;
  if (gone) return std::optional<Changes>();
  Statement rows = db_.prepare(
      "SELECT kind, namespace, name FROM changes WHERE resource_version > ? AND kind <> 'Event' "
      "ORDER BY resource_version");
  rows.bind(resource_version);
  Changes changes;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) return std::optional(std::move(changes));
    changes.push_back({rows.text(0), {rows.text(1), rows.text(2)}});
  }
}

Result<int64_t> Transaction::finished_count(const std::optional<std::string>& name_space) {
  Statement rows = db_.prepare(
      name_space ? "SELECT count(*) FROM objects WHERE finished_ms IS NOT NULL AND namespace = ?"
                 : "SELECT count(*) FROM objects WHERE finished_ms IS NOT NULL");
  if (name_space) rows.bind(std::string_view(*name_space));
  ASSIGN_OR_RETURN(const std::optional<int64_t> count, rows.single_integer());
  return count.value_or(0);
}

Result<std::vector<ReadTxn::Finished>> Transaction::oldest_finished(int64_t limit) {
  Statement rows = db_.prepare(
      "SELECT namespace, name, finished_ms FROM objects WHERE finished_ms IS NOT NULL "
      "ORDER BY finished_ms LIMIT ?");
  rows.bind(limit);
  std::vector<Finished> out;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) return out;
    out.push_back({{rows.text(0), rows.text(1)}, rows.integer(2)});
  }
}

// A key's scope is "<token id> <path>": who created where.
Status Transaction::forget_creates(const Key& run) {
  const std::string suffix = cat(" ", contracts::paths::collection(run.name_space, "runs"));
  return db_
      .prepare(
          "DELETE FROM idempotent_creates WHERE name = ?1 "
          "AND substr(scope, length(scope) - length(?2) + 1) = ?2")
      .bind(run.name)
      .bind(suffix)
      .run();
}

}  // namespace paddock::store::sql
