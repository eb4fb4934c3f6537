#include "cli/client/object_printer.h"

#include <utility>

#include "cli/client/list_items.h"
#include "cli/terminal/terminal.h"
#include "common/base/text.h"

namespace paddock::cli {

using wire::Value;

namespace {

// One below the other, as `-o name` prints them. `answer`: a list's, or an object's own.
Table names_of(Kind kind, const Value& answer) {
  Table names;
  const auto add = [&](const Value& each) {
    names.rows.push_back({object_reference(kind, each.text("metadata.name"))});
  };
  if (answer.find("items") == nullptr) add(answer);
  for (const Value& each : items_of(answer)) add(each);
  return names;
}

// The object in each line of an answer, as far as the server sent it.
std::vector<const Value*> objects_of(const Value& answer) {
  std::vector<const Value*> out;
  const Value* rows = answer.find("rows");
  const bool is_table = rows != nullptr && rows->array() != nullptr;
  for (const Value& each : is_table ? *rows->array() : items_of(answer))
    out.push_back(is_table ? each.find("object") : &each);
  return out;
}

}  // namespace

ObjectPrinter::ObjectPrinter(const ObjectChoice& choice, Shown shown, const Env& env)
    : choice_(choice),
      output_(std::move(shown.output)),
      order_(std::move(shown.order)),
      table_(
          {output_.format == OutputFormat::kWide, choice.all_namespaces, std::move(shown.labels)}),
      env_(env) {}

client::ListForm ObjectPrinter::form() const {
  if (output_.is_document()) return client::ListForm::kObjects;
  if (output_.format != OutputFormat::kName) return client::ListForm::kTable;
  return order_.reads_objects() ? client::ListForm::kObjects : client::ListForm::kMetadata;
}

// A whole object in place of its metadata, where a row of the server's is sorted by it.
std::string ObjectPrinter::wish() const {
  const bool rows = form() == client::ListForm::kTable && order_.reads_objects();
  return rows ? "includeObject=Object" : "";
}

Status ObjectPrinter::print_one(const Value& answer) {
  if (output_.is_document()) {
    print_document(answer, output_, env_);
    return {};
  }
  ASSIGN_OR_RETURN(Table lines, lines_of(answer));
  write_lines(std::move(lines));
  return {};
}

Status ObjectPrinter::print_change(std::string_view type, const Value& object) {
  if (type != "DELETED") return print_one(object);
  for (const Value* each :
       form() == client::ListForm::kTable ? objects_of(object) : std::vector{&object}) {
    const std::string name = each == nullptr ? std::string() : each->text("metadata.name");
    env_.say(cat(info(choice_.kind).singular, " ", printable(name), " is deleted"));
  }
  return {};
}

void ObjectPrinter::print_documents(const std::vector<Value>& items) {
  if (items.empty()) env_.say(cat("no ", info(choice_.kind).plural, " found"));
  for (const Value& each : items) print_document(each, output_, env_);
}

Result<Table> ObjectPrinter::lines_of(const Value& answer) {
  if (output_.format == OutputFormat::kName) return names_of(choice_.kind, answer);
  return table_.take(answer);
}

Status ObjectPrinter::take_part(Value& page) {
  if (output_.is_document()) return gather(page);
  ASSIGN_OR_RETURN(Table lines, lines_of(page));
  std::vector<SortKey> keys;
  for (const Value* each : objects_of(page))
    keys.push_back(order_.key_of(each == nullptr ? Value() : *each));
  take_lines(std::move(lines), std::move(keys));
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

// Takes the lines of one part of a list. Where a list is put in order, they wait for all of it.
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
