#include "cli/output/server_table.h"

#include "cli/output/label_columns.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using wire::Value;

// A cell without a value becomes empty text, which our tables show like every missing value.
std::string cell_text(const Value& cell) {
  if (const auto* text = cell.string()) return *text == "<none>" ? std::string() : *text;
  return cell.integer() != nullptr ? cat(*cell.integer()) : std::string();
}

bool is_always_shown(const Value& column) {
  const Value* priority = column.find("priority");
  return priority == nullptr || priority->integer() == nullptr || *priority->integer() <= 0;
}

const Value::Array* array_at(const Value& answer, std::string_view name) {
  const Value* found = answer.find(name);
  return found == nullptr ? nullptr : found->array();
}

}  // namespace

Result<Table> ServerTable::take(const Value& answer) {
  const Value::Array* columns = array_at(answer, "columnDefinitions");
  const Value::Array* rows = array_at(answer, "rows");
  if (columns != nullptr && !columns->empty()) take_columns(*columns);
  if (rows == nullptr || header_.empty())
    return Error{Code::kUnavailable, "UNEXPECTED_ANSWER", "the server's answer is no table"};
  Table table{header_, {}};
  for (const Value& row : *rows) table.rows.push_back(row_of(row));
  return table;
}

void ServerTable::take_columns(const Value::Array& columns) {
  header_.clear();
  shown_.clear();
  if (options_.all_namespaces) header_.emplace_back("NAMESPACE");
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!options_.wide && !is_always_shown(columns[i])) continue;
    shown_.push_back(i);
    header_.push_back(column_title(columns[i].text("name")));
  }
  for (const std::string& label : options_.labels) header_.push_back(label_header(label));
}

std::vector<std::string> ServerTable::row_of(const Value& row) const {
  const Value::Array* cells = array_at(row, "cells");
  const Value* object = row.find("object");
  std::vector<std::string> out;
  if (options_.all_namespaces) out.push_back(row.text("object.metadata.namespace"));
  for (const size_t i : shown_)
    out.push_back(cells != nullptr && i < cells->size() ? cell_text((*cells)[i]) : std::string());
  for (const std::string& label : options_.labels)
    out.push_back(object == nullptr ? std::string() : label_cell(*object, label));
  return out;
}

}  // namespace paddock::cli
