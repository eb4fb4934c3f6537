// `paddock get` and `describe`: any object, as a table or a document, also as it changes.
#include "cli/client/connection.h"
#include "cli/client/list_items.h"
#include "cli/client/object_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/output/describe.h"
#include "cli/output/object_output.h"
#include "cli/output/object_table.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"

namespace paddock::cli {
namespace {

using wire::Value;

std::string cell_text(const Value& cell) {
  if (const auto* text = cell.string()) return *text == "<none>" ? std::string() : *text;
  return cell.integer() != nullptr ? cat(*cell.integer()) : std::string();
}

// The columns that are always shown of a Table.
Result<Table> viewed_table(const Value& page, const Value& rows, bool with_namespace) {
  const Value* columns = page.find("columnDefinitions");
  if (columns == nullptr || columns->array() == nullptr || rows.array() == nullptr)
    return Error{Code::kUnavailable, "UNEXPECTED_ANSWER", "the server's table has no columns"};
  Table table;
  std::vector<size_t> shown;
  if (with_namespace) table.header.emplace_back("NAMESPACE");
  for (size_t i = 0; i < columns->array()->size(); ++i) {
    const Value& column = columns->array()->at(i);
    const Value* priority = column.find("priority");
    if (priority != nullptr && priority->integer() != nullptr && *priority->integer() > 0) continue;
    shown.push_back(i);
    table.header.push_back(column.text("name"));
    for (char& c : table.header.back()) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  for (const Value& row : *rows.array()) {
    const Value* cells = row.find("cells");
    std::vector<std::string> out;
    if (with_namespace) out.push_back(row.text("object.metadata.namespace"));
    for (const size_t i : shown) {
      const bool there =
          cells != nullptr && cells->array() != nullptr && i < cells->array()->size();
      out.push_back(there ? cell_text(cells->array()->at(i)) : std::string());
    }
    table.rows.push_back(std::move(out));
  }
  return table;
}

// Prints objects as they are asked for; those of a table come below each other.
class Printer {
 public:
  Printer(const ObjectChoice& choice, const ObjectOutput& output, const Env& env)
      : choice_(choice), output_(output), env_(env) {}

  // One object, or what a part of a list holds; a document is printed once it is whole.
  void print_one(const Value& answer) {
    if (output_.is_document()) return print_document(answer, output_, env_);
    print_items({answer});
  }
  Status take_part(Value& page) {
    if (output_.is_document()) return gather(page);
    if (const Value* rows = page.find("rows"); rows != nullptr) return print_view(page, *rows);
    const std::vector<Value>& items = items_of(page);
    found_ = found_ || !items.empty();
    if (!items.empty()) print_rows(items);
    return {};
  }
  bool prints_documents() const { return output_.is_document(); }
  void end_list() {
    if (output_.is_document()) return print_document(whole_, output_, env_);
    if (!found_) env_.say(cat("no ", info(choice_.kind).plural, " found"));
  }
  // What a list must tell for this output. Runs carry what they printed, which no row shows.
  client::ListForm form() const {
    if (output_.is_document()) return client::ListForm::kObjects;
    if (output_.format == OutputFormat::kName) return client::ListForm::kMetadata;
    const bool view = choice_.kind == Kind::kRun && output_.format == OutputFormat::kTable;
    return view ? client::ListForm::kTable : client::ListForm::kObjects;
  }
  void print_items(const std::vector<Value>& items) {
    if (items.empty()) return env_.say(cat("no ", info(choice_.kind).plural, " found"));
    if (!output_.is_document()) return print_rows(items);
    for (const Value& each : items) print_document(each, output_, env_);
  }

 private:
  Status gather(Value& page) {
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
  // Rows that the server made.
  Status print_view(const Value& page, const Value& rows) {
    ASSIGN_OR_RETURN(Table table, viewed_table(page, rows, choice_.all_namespaces));
    found_ = found_ || !table.rows.empty();
    if (table.rows.empty()) return {};
    if (!widths_.empty()) table.header.clear();
    env_.out.write(render_below(table, widths_));
    return {};
  }
  void print_rows(const std::vector<Value>& objects) {
    if (output_.format == OutputFormat::kName) {
      for (const Value& each : objects)
        env_.out.write(object_reference(choice_.kind, each.text("metadata.name")) + "\n");
      return;
    }
    const TableOptions options{output_.format == OutputFormat::kWide, choice_.all_namespaces};
    Table table = object_table(choice_.kind, objects, options, env_.clock.wall());
    if (!widths_.empty()) table.header.clear();
    env_.out.write(render_below(table, widths_));
  }

  const ObjectChoice& choice_;
  const ObjectOutput& output_;
  const Env& env_;
  std::vector<size_t> widths_;
  bool found_ = false;
  Value whole_;
};

// All of a list, part by part; the version that it has.
Result<std::string> print_list(client::ControllerClient& client, const std::string& target,
                               Printer& printer) {
  std::string version;
  TRY(client.list(target, printer.form(), [&](Value& page) {
    if (version.empty()) version = page.text("metadata.resourceVersion");
    return printer.take_part(page);
  }));
  printer.end_list();
  return version;
}

template <class T>
Result<std::string> described(const Value& object, std::string (*text)(const T&, WallTime),
                              WallTime now) {
  ASSIGN_OR_RETURN(const T decoded, wire::decode<T>(object));
  return text(decoded, now);
}

Result<std::string> describe_object(Kind kind, const Value& object, WallTime now) {
  switch (kind) {
    case Kind::kRun:
      return described<contracts::Run>(object, describe_run, now);
    case Kind::kWorkspace:
      return described<contracts::Workspace>(object, describe_workspace, now);
    case Kind::kVolume:
      return described<contracts::Volume>(object, describe_volume, now);
    case Kind::kGrant:
    case Kind::kToolToken:
    case Kind::kSandbox:
    case Kind::kSecret:
      return Error{Code::kNotFound, "NO_DESCRIPTION", "it is shown as it is"};
    case Kind::kNode:
      return described<contracts::Node>(object, describe_node, now);
  }
  return std::string();
}

// What is there when one begins to follow: documents one after another.
Result<std::string> print_now(client::ControllerClient& client, const ObjectChoice& choice,
                              Printer& printer) {
  if (!printer.prints_documents()) return print_list(client, choice.watched(), printer);
  std::string version;
  TRY(client.list(choice.watched(), client::ListForm::kObjects, [&](Value& page) -> Status {
    if (version.empty()) version = page.text("metadata.resourceVersion");
    printer.print_items(items_of(page));
    return {};
  }));
  return version;
}

// What is there, one after another, and then every change, until Ctrl-C. When the server no longer
// has all changes behind that, everything is shown anew. The version to go on from is the list's:
// an object's own may be older than all that the server remembers.
Status follow(Watcher& watcher, const ObjectChoice& choice, Printer& printer, const Env& env) {
  for (;;) {
    ASSIGN_OR_RETURN(const std::string version, print_now(watcher.client, choice, printer));
    Status ended = watcher.client.follow_objects(
        choice.watched(), version, env.patience, [&](std::string_view type, const Value& object) {
          const std::string name = printable(object.text("metadata.name"));
          if (type == "DELETED") env.say(cat(info(choice.kind).singular, " ", name, " is deleted"));
          if (type != "DELETED") printer.print_items({object});
          return true;
        });
    if (ended.ok() || ended.error().code != Code::kGone) return ended;
  }
}

Status get_now(client::ControllerClient& client, const ObjectChoice& choice, bool watches,
               Printer& printer) {
  if (choice.name.empty()) {
    ASSIGN_OR_RETURN(const std::string version, print_list(client, choice.target(), printer));
    return {};
  }
  ASSIGN_OR_RETURN(const Value answer, client.get(choice.target()));
  if (!watches) printer.print_one(answer);
  return {};
}

Result<int> get(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const ObjectChoice choice, object_choice(parsed));
  ASSIGN_OR_RETURN(const ObjectOutput output, parse_object_output(parsed.text("output")));
  Printer printer(choice, output, env);
  const bool watches = parsed.has("watch");
  // One that is not there is said to be missing, not awaited.
  if (!watches || !choice.name.empty()) {
    TRY(get_now(watcher.client, choice, watches, printer));
  }
  if (watches) TRY(follow(watcher, choice, printer, env));
  return kExitOk;
}

Status describe(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const ObjectChoice choice, object_choice(parsed));
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   resolve_endpoint(connection_options(parsed), env));
  client::ControllerClient client(endpoint, env.patience);
  say_when_waiting(client, env);
  ASSIGN_OR_RETURN(const Value object, client.get(choice.target()));
  const Result<std::string> text = describe_object(choice.kind, object, env.clock.wall());
  // An object of a newer server has fields that we do not know, and some kinds say it all
  // themselves: shown as it is.
  env.out.write(text.ok() ? *text : document_text(object, OutputFormat::kYaml));
  return {};
}

int finish(const Env& env, const Status& status) {
  return status.ok() ? kExitOk : fail(env, status.error());
}

}  // namespace

int get_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return get(watcher, parsed, env); });
}
int describe_command(const Parsed& parsed, Env& env) { return finish(env, describe(parsed, env)); }

}  // namespace paddock::cli
