// The part of Transaction about history: changes, ended runs, and records that may be forgotten.
#include <string>
#include <string_view>

#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/run.h"
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

Result<std::optional<std::vector<ReadTxn::Change>>> Transaction::changes_after(
    int64_t resource_version) {
  using Changes = std::vector<Change>;
  if (newest_ == resource_version) return std::optional(Changes());
  Statement ends = db_.prepare(
      "SELECT (SELECT max(resource_version) FROM changes), "
      "(SELECT min(resource_version) FROM changes)");
  ASSIGN_OR_RETURN(const bool any, ends.step());
  const bool none = !any || ends.is_null(0);
  newest_ = none ? 0 : ends.integer(0);
  if (resource_version == *newest_) return std::optional(Changes());
  if (none || resource_version > *newest_ || resource_version + 1 < ends.integer(1))
    return std::optional<Changes>();
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

Result<int64_t> Transaction::erased_after(std::string_view kind, int64_t resource_version) {
  Statement rows = db_.prepare(
      "SELECT count(*) FROM changes WHERE resource_version > ? AND kind = ? AND op = 'delete'");
  ASSIGN_OR_RETURN(const std::optional<int64_t> count,
                   rows.bind(resource_version).bind(kind).single_integer());
  return count.value_or(0);
}

Result<int64_t> Transaction::finished_count(const std::optional<std::string>& name_space) {
  Statement rows = db_.prepare(
      name_space ? "SELECT count(*) FROM objects WHERE finished_ms IS NOT NULL AND namespace = ?"
                 : "SELECT count(*) FROM objects WHERE finished_ms IS NOT NULL");
  if (name_space) rows.bind(std::string_view(*name_space));
  ASSIGN_OR_RETURN(const std::optional<int64_t> count, rows.single_integer());
  return count.value_or(0);
}

Result<std::vector<ReadTxn::Finished>> Transaction::oldest_finished(int64_t until_ms,
                                                                    int64_t limit) {
  Statement rows = db_.prepare(
      "SELECT namespace, name, finished_ms FROM objects WHERE finished_ms IS NOT NULL "
      "AND finished_ms <= ? ORDER BY finished_ms LIMIT ?");
  rows.bind(until_ms).bind(limit);
  return rows.all([](const Statement& row) {
    return Finished{{row.text(0), row.text(1)}, row.integer(2)};
  });
}

// A key's scope is "<token id> <path>": who created where. An object is created at the path of its
// kind's collection in its namespace, whichever API group's door that is; a run also at `/build`.
Status Transaction::forget_creates(std::string_view kind, const Key& key) {
  const std::string whole = contracts::paths::collection(key.name_space, internal::plural(kind));
  const std::string suffix = key.name_space.empty()
                                 ? whole
                                 : whole.substr(std::string_view(contracts::paths::kBase).size());
  const bool built = kind == contracts::Run::kKind && key.name_space == "default";
  return db_
      .prepare(
          "DELETE FROM idempotent_creates WHERE name = ?1 "
          "AND (substr(scope, length(scope) - length(?2) + 1) = ?2 "
          "OR substr(scope, length(scope) - length(?3) + 1) = ?3)")
      .bind(key.name)
      .bind(suffix)
      .bind(built ? std::string_view(" /build") : suffix)
      .run_soon();
}

}  // namespace paddock::store::sql
