#include "controller/store/postgres/gathered_rows.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::store::postgres {

namespace {

constexpr std::string_view kInsert = "INSERT INTO ";
constexpr std::string_view kValues = " VALUES (";
constexpr std::string_view kUpdate = "UPDATE ";

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

// `a = ?, b = ?` with this between them: the columns; none if something else is there.
std::vector<std::string> columns_in(std::string_view text, std::string_view between) {
  std::vector<std::string> out;
  while (true) {
    const size_t end = text.find(" = ?");
    if (end == std::string_view::npos || text.substr(0, end).find(' ') != std::string_view::npos)
      return {};
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 4);
    if (text.empty()) return out;
    if (!text.starts_with(between)) return {};
    text.remove_prefix(between.size());
  }
}

std::optional<RowWrite> as_row_update(std::string_view sql) {
  const size_t set = sql.find(" SET ");
  const size_t where = sql.find(" WHERE ");
  if (!sql.starts_with(kUpdate) || set > where || where == std::string_view::npos)
    return std::nullopt;
  const std::string_view table = sql.substr(kUpdate.size(), set - kUpdate.size());
  const auto changed = columns_in(sql.substr(set + 5, where - set - 5), ", ");
  const auto keys = columns_in(sql.substr(where + 7), " AND ");
  if (changed.empty() || keys.empty() || table.find(' ') != std::string_view::npos)
    return std::nullopt;
  std::string sets;
  std::string names;
  std::string values;
  std::string keyed;
  for (size_t i = 0; i < changed.size() + keys.size(); ++i) {
    const std::string name = cat("c", i + 1);
    names += cat(i == 0 ? "" : ", ", name);
    values += cat(i == 0 ? "$" : ", $", i + 1);
    if (i < changed.size()) {
      sets += cat(i == 0 ? "" : ", ", changed[i], " = n.", name);
    } else {
      keyed += cat(keyed.empty() ? "" : " AND ", "t.", keys[i - changed.size()], " = n.", name);
    }
  }
  RowWrite out;
  out.sql = cat("UPDATE ", table, " AS t SET ", sets, " FROM unnest(", values, ") AS n (", names,
                ") WHERE ", keyed);
  out.keys = keys.size();
  return out;
}

std::string key_of(const RowWrite& write, const std::vector<Parameter>& row) {
  std::string out;
  for (size_t i = row.size() - write.keys; i < row.size(); ++i) {
    const bool is_number = row[i].type == kIntegerType;
    const std::string_view bytes =
        is_number ? std::string_view(row[i].number.data(), row[i].number.size()) : row[i].text;
    out += cat(bytes.size(), ":", bytes);
  }
  return out;
}

}  // namespace

std::optional<RowWrite> as_row_write(std::string_view sql) {
  if (sql.starts_with(kUpdate)) return as_row_update(sql);
  const size_t values = sql.find(kValues);
  if (!sql.starts_with(kInsert) || values == std::string_view::npos) return std::nullopt;
  std::string_view rest;
  const size_t count = count_placeholders(sql.substr(values + kValues.size()), rest);
  const bool known = rest.empty() || rest.starts_with(" ON CONFLICT ");
  if (count == 0 || !known || rest.find('?') != std::string_view::npos) return std::nullopt;
  RowWrite out;
  out.table = sql.substr(kInsert.size(), sql.find(' ', kInsert.size()) - kInsert.size());
  out.sql = cat(sql.substr(0, values), " SELECT * FROM unnest($1");
  for (size_t i = 2; i <= count; ++i) out.sql += cat(", $", i);
  out.sql += cat(")", rest);
  return out;
}

// What is new among objects comes first: it may be changed in the same batch.
GatheredRows::Table& GatheredRows::table_of(const RowWrite& write, size_t columns) {
  for (Table& each : tables_) {
    if (each.write == &write) return each;
  }
  const Table made{&write, std::vector<Array>(columns), {}};
  if (write.table == "objects") return *tables_.insert(tables_.begin(), made);
  return tables_.emplace_back(made);
}

bool GatheredRows::has_update(const RowWrite& write, const std::vector<Parameter>& row) const {
  if (write.keys == 0) return false;
  const auto table = std::ranges::find(tables_, &write, &Table::write);
  return table != tables_.end() && table->keys.contains(key_of(write, row));
}

void GatheredRows::add(const RowWrite& write, const std::vector<Parameter>& row) {
  Table& table = table_of(write, row.size());
  if (write.keys > 0) table.keys.insert(key_of(write, row));
  for (size_t i = 0; i < row.size(); ++i) {
    const size_t before = table.columns[i].bytes();
    table.columns[i].add(row[i]);
    bytes_ += table.columns[i].bytes() - before;
  }
}

void GatheredRows::append(const GatheredRows& later) {
  for (const Table& each : later.tables_) {
    Table& table = table_of(*each.write, each.columns.size());
    table.keys.insert(each.keys.begin(), each.keys.end());
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
    TRY(send(table.write->sql, values));
  }
  clear();
  return {};
}

}  // namespace paddock::store::postgres
