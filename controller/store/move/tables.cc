#include "controller/store/move/tables.h"

#include <array>

#include "common/base/text.h"

namespace paddock::store::move {

namespace {

// An integer is marked by `#`, bytes by `*`; all else is text.
struct Outline {
  const char* name;
  size_t key;
  std::string_view columns;
};
constexpr std::array kOutlines = {
    Outline{"changes", 1, "resource_version# kind namespace name op"},
    Outline{"objects", 1,
            "id# kind namespace name uid resource_version# active# node finished_ms# data"},
    Outline{"run_events", 2, "run_uid id# time_ms# type data* resource_version#"},
    Outline{"run_output", 2, "run_uid attempt# last_seq#"},
    Outline{"run_lines", 3, "run_uid attempt# part# data*"},
    Outline{"run_inputs", 3, "run_uid attempt# seq# tool_use_id data* acked#"},
    Outline{"run_bundles", 1, "run_uid data"},
    Outline{"sent_blobs", 2, "run_uid digest"},
    Outline{"session_deadlines", 1, "uid due_ms#"},
    Outline{"tool_tokens", 1, "token_uid hash run_uid expires_ms#"},
    Outline{"secret_values", 2, "secret_uid name key_id sealed*"},
    Outline{"audit", 1, "id# time_ms# type subject namespace session data hash"},
    Outline{"tokens", 1, "id hash subject scopes namespace expires_ms# revoked#"},
    Outline{"settings", 1, "key value"},
    Outline{"idempotent_creates", 2, "scope key name request_digest"},
};

Column column_of(std::string_view word) {
  if (word.ends_with('#'))
    return {std::string(word.substr(0, word.size() - 1)), ColumnType::kInteger};
  if (word.ends_with('*'))
    return {std::string(word.substr(0, word.size() - 1)), ColumnType::kBytes};
  return {std::string(word), ColumnType::kText};
}

std::string names_of(const Table& table, size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(table.columns[i].name);
  return join(names, ", ");
}

// `(?, ?)`
std::string places(size_t count) {
  return cat("(", join(std::vector<std::string>(count, "?"), ", "), ")");
}

Table table_of(const Outline& outline) {
  Table table{outline.name, {}, outline.key, {}, {}, {}, {}};
  for (const std::string& word : split(outline.columns, ' '))
    table.columns.push_back(column_of(word));
  const std::string all = names_of(table, table.columns.size());
  const std::string key = names_of(table, table.key);
  const std::string select = cat("SELECT ", all, " FROM ", table.name);
  const std::string page = cat(" ORDER BY ", key, " LIMIT ", kPage);
  const std::string insert = cat("INSERT INTO ", table.name, " (", all, ") VALUES ");
  const std::string row = places(table.columns.size());
  table.first_page = select + page;
  table.next_page = cat(select, " WHERE (", key, ") > ", places(table.key), page);
  table.put_one = insert + row;
  table.put_page = insert + join(std::vector<std::string>(kPage, row), ", ");
  return table;
}

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all = [] {
    std::vector<Table> out;
    for (const Outline& each : kOutlines) out.push_back(table_of(each));
    return out;
  }();
  return all;
}

}  // namespace paddock::store::move
