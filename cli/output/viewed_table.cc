#include "cli/output/viewed_table.h"

#include "cli/output/label_columns.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using wire::Value;

std::string cell_text(const Value& cell) {
  if (const auto* text = cell.string()) return *text == "<none>" ? std::string() : *text;
  return cell.integer() != nullptr ? cat(*cell.integer()) : std::string();
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

bool is_always_shown(const Value& column) {
  const Value* priority = column.find("priority");
  return priority == nullptr || priority->integer() == nullptr || *priority->integer() <= 0;
}

std::vector<std::string> viewed_row(const Value& row, const std::vector<size_t>& shown,
                                    const TableOptions& options) {
  const Value* cells = row.find("cells");
  const Value* object = row.find("object");
  std::vector<std::string> out;
  if (options.all_namespaces) out.push_back(row.text("object.metadata.namespace"));
  for (const size_t i : shown) {
    const bool there = cells != nullptr && cells->array() != nullptr && i < cells->array()->size();
    out.push_back(there ? cell_text(cells->array()->at(i)) : std::string());
  }
  for (const std::string& label : options.labels)
    out.push_back(object == nullptr ? std::string() : label_cell(*object, label));
  return out;
}

}  // namespace

Result<Table> viewed_table(const Value& page, const Value& rows, const TableOptions& options) {
  const Value* columns = page.find("columnDefinitions");
  if (columns == nullptr || columns->array() == nullptr || rows.array() == nullptr)
    return Error{Code::kUnavailable, "UNEXPECTED_ANSWER", "the server's table has no columns"};
  Table table;
  std::vector<size_t> shown;
  if (options.all_namespaces) table.header.emplace_back("NAMESPACE");
  for (size_t i = 0; i < columns->array()->size(); ++i) {
    const Value& column = columns->array()->at(i);
    if (!is_always_shown(column)) continue;
    shown.push_back(i);
    table.header.push_back(upper(column.text("name")));
  }
  for (const std::string& label : options.labels) table.header.push_back(label_header(label));
  for (const Value& row : *rows.array()) table.rows.push_back(viewed_row(row, shown, options));
  return table;
}

}  // namespace paddock::cli
