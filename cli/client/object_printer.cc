#include "cli/client/object_printer.h"

#include <utility>

#include "cli/client/list_items.h"
#include "cli/output/viewed_table.h"
#include "common/base/text.h"

namespace paddock::cli {

using wire::Value;

ObjectPrinter::ObjectPrinter(const ObjectChoice& choice, Shown shown, const Env& env)
    : choice_(choice),
      output_(std::move(shown.output)),
      order_(std::move(shown.order)),
      options_{output_.format == OutputFormat::kWide, choice.all_namespaces,
               std::move(shown.labels)},
      env_(env) {}

client::ListForm ObjectPrinter::form() const {
  if (output_.is_document()) return client::ListForm::kObjects;
  if (output_.format == OutputFormat::kName)
    return order_.reads_objects() ? client::ListForm::kObjects : client::ListForm::kMetadata;
  const bool view = choice_.kind == Kind::kRun && output_.format == OutputFormat::kTable;
  return view ? client::ListForm::kTable : client::ListForm::kObjects;
}

// A whole object in place of its metadata, where a row of the server's is sorted by it.
std::string ObjectPrinter::wish() const {
  const bool rows = form() == client::ListForm::kTable && order_.reads_objects();
  return rows ? "includeObject=Object" : "";
}

void ObjectPrinter::print_one(const Value& answer) {
  if (output_.is_document()) return print_document(answer, output_, env_);
  print_items({answer});
}

void ObjectPrinter::print_items(const std::vector<Value>& items) {
  if (items.empty()) return env_.say(cat("no ", info(choice_.kind).plural, " found"));
  if (!output_.is_document()) return write_lines(rows_of(items));
  for (const Value& each : items) print_document(each, output_, env_);
}

Status ObjectPrinter::take_part(Value& page) {
  if (output_.is_document()) return gather(page);
  if (const Value* rows = page.find("rows"); rows != nullptr) return take_view(page, *rows);
  const std::vector<Value>& items = items_of(page);
  std::vector<SortKey> keys;
  for (const Value& each : items) keys.push_back(order_.key_of(each));
  take_lines(rows_of(items), std::move(keys));
  return {};
}

Status ObjectPrinter::end_list() {
  if (output_.is_document()) {
    TRY(arrange_document());
    print_document(whole_, output_, env_);
    return {};
  }
  TRY(order_.check_found(choice_.kind, lines_));
  arrange(order_, lines_);
  Table table{std::move(header_), {}};
  for (auto& [key, row] : lines_) table.rows.push_back(std::move(row));
  write_lines(std::move(table));
  if (!found_) env_.say(cat("no ", info(choice_.kind).plural, " found"));
  return {};
}

Status ObjectPrinter::gather(Value& page) {
  Value* items = page.find("items");
  if (whole_.is_null()) {
    whole_ = std::move(page);
    if (Value* meta = whole_.find("metadata"); meta != nullptr) {
      meta->erase("continue");
      meta->erase("remainingItemCount");
    }
    return {};
  }
  Value* all = whole_.find("items");
  if (items == nullptr || items->array() == nullptr || all == nullptr || all->array() == nullptr)
    return Error{Code::kUnavailable, "UNEXPECTED_ANSWER", "a part of the list has no items"};
  for (Value& each : *items->array()) all->array()->push_back(std::move(each));
  return {};
}

// Its items in their order, and no more of them than are asked for.
Status ObjectPrinter::arrange_document() {
  Value* items = whole_.find("items");
  if (!order_.gathers() || items == nullptr || items->array() == nullptr) return {};
  Keyed<Value> all;
  for (Value& each : *items->array()) {
    SortKey key = order_.key_of(each);
    all.emplace_back(std::move(key), std::move(each));
  }
  TRY(order_.check_found(choice_.kind, all));
  arrange(order_, all);
  items->array()->clear();
  for (auto& [key, each] : all) items->array()->push_back(std::move(each));
  return {};
}

// Rows that the server made.
Status ObjectPrinter::take_view(const Value& page, const Value& rows) {
  ASSIGN_OR_RETURN(Table table, viewed_table(page, rows, options_));
  std::vector<SortKey> keys;
  for (const Value& row : *rows.array()) {
    const Value* object = row.find("object");
    keys.push_back(order_.key_of(object == nullptr ? Value() : *object));
  }
  take_lines(std::move(table), std::move(keys));
  return {};
}

Table ObjectPrinter::rows_of(const std::vector<Value>& objects) const {
  if (output_.format != OutputFormat::kName)
    return object_table(choice_.kind, objects, options_, env_.clock.wall());
  Table names;
  for (const Value& each : objects)
    names.rows.push_back({object_reference(choice_.kind, each.text("metadata.name"))});
  return names;
}

// Of a part of a list: what is put in order waits for the whole of it.
void ObjectPrinter::take_lines(Table table, std::vector<SortKey> keys) {
  found_ = found_ || !table.rows.empty();
  if (!order_.gathers()) return write_lines(std::move(table));
  if (header_.empty()) header_ = std::move(table.header);
  for (size_t i = 0; i < table.rows.size(); ++i)
    lines_.emplace_back(std::move(keys[i]), std::move(table.rows[i]));
}

void ObjectPrinter::write_lines(Table table) {
  if (table.rows.empty()) return;
  if (output_.format == OutputFormat::kName) {
    for (const auto& row : table.rows) env_.out.write(row.front() + "\n");
    return;
  }
  if (!widths_.empty()) table.header.clear();
  env_.out.write(render_below(table, widths_));
}

}  // namespace paddock::cli
