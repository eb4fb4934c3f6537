#include "controller/store/postgres/gathered_rows.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::store::postgres {

namespace {

constexpr std::string_view kInsert = "INSERT INTO ";
constexpr std::string_view kValues = " VALUES (";

// How many placeholders it begins with: `?, ?, ?)`; 0: something else is among them. `rest`: what
// follows.
size_t count_placeholders(std::string_view values, std::string_view& rest) {
  size_t count = 0;
  while (values.starts_with("?, ")) {
    values.remove_prefix(3);
    ++count;
  }
  if (!values.starts_with("?)")) return 0;
  rest = values.substr(2);
  return count + 1;
}

}  // namespace

std::optional<RowInsert> as_row_insert(std::string_view sql) {
  const size_t values = sql.find(kValues);
  if (!sql.starts_with(kInsert) || values == std::string_view::npos) return std::nullopt;
  std::string_view rest;
  const size_t count = count_placeholders(sql.substr(values + kValues.size()), rest);
  const bool known = rest.empty() || rest.starts_with(" ON CONFLICT ");
  if (count == 0 || !known || rest.find('?') != std::string_view::npos) return std::nullopt;
  RowInsert out;
  out.table = sql.substr(kInsert.size(), sql.find(' ', kInsert.size()) - kInsert.size());
  out.sql = cat(sql.substr(0, values), " SELECT * FROM unnest($1");
  for (size_t i = 2; i <= count; ++i) out.sql += cat(", $", i);
  out.sql += cat(")", rest);
  return out;
}

GatheredRows::Table& GatheredRows::table_of(const RowInsert& insert, size_t columns) {
  for (Table& each : tables_) {
    if (each.insert == &insert) return each;
  }
  const Table made{&insert, std::vector<Array>(columns)};
  if (insert.table == "objects") return *tables_.insert(tables_.begin(), made);
  return tables_.emplace_back(made);
}

void GatheredRows::add(const RowInsert& insert, const std::vector<Parameter>& row) {
  Table& table = table_of(insert, row.size());
  for (size_t i = 0; i < row.size(); ++i) {
    const size_t before = table.columns[i].bytes();
    table.columns[i].add(row[i]);
    bytes_ += table.columns[i].bytes() - before;
  }
}

void GatheredRows::append(const GatheredRows& later) {
  for (const Table& each : later.tables_) {
    Table& table = table_of(*each.insert, each.columns.size());
    for (size_t i = 0; i < each.columns.size(); ++i) table.columns[i].append(each.columns[i]);
  }
  bytes_ += later.bytes_;
}

void GatheredRows::clear() {
  tables_.clear();
  bytes_ = 0;
}

Status GatheredRows::send_all(const Send& send) {
  for (const Table& table : tables_) {
    std::vector<std::string> encoded;
    std::vector<Parameter> values;
    encoded.reserve(table.columns.size());
    for (const Array& column : table.columns)
      values.push_back(column.as_parameter(encoded.emplace_back(column.encode())));
    TRY(send(table.insert->sql, values));
  }
  clear();
  return {};
}

}  // namespace paddock::store::postgres
