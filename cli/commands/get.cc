// `paddock get` and `describe`: any object, as a table or a document, also as it changes.
#include "cli/client/connection.h"
#include "cli/client/list_items.h"
#include "cli/client/object_choice.h"
#include "cli/client/object_printer.h"
#include "cli/client/other_kind.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/output/describe.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/for_each.h"

namespace paddock::cli {
namespace {

using wire::Value;

// All of a list, part by part; the version that it has.
Result<std::string> print_list(client::ControllerClient& client, const std::string& target,
                               ObjectPrinter& printer) {
  std::string version;
  std::string asked = target;
  if (const std::string wish = printer.wish(); !wish.empty())
    asked += cat(asked.find('?') == std::string::npos ? "?" : "&", wish);
  TRY(client.list(asked, printer.form(), [&](Value& page) {
    if (version.empty()) version = page.text("metadata.resourceVersion");
    return printer.take_part(page);
  }));
  TRY(printer.end_list());
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

// Prints the objects that exist when following begins: documents one after another.
Result<std::string> print_now(client::ControllerClient& client, const ObjectChoice& choice,
                              ObjectPrinter& printer) {
  if (!printer.prints_documents()) return print_list(client, choice.watched(), printer);
  std::string version;
  bool any = false;
  TRY(client.list(choice.watched(), client::ListForm::kObjects, [&](Value& page) -> Status {
    if (version.empty()) version = page.text("metadata.resourceVersion");
    const auto& items = items_of(page);
    any = any || !items.empty();
    // A page may be empty and not the only one.
    const bool none = !any && page.text("metadata.continue").empty();
    if (!items.empty() || none) printer.print_documents(items);
    return {};
  }));
  return version;
}

// Prints the objects that exist, and then every change, until Ctrl-C. When the server no longer has
// all changes since then, everything is printed anew. Watching begins at the list's version: an
// object's own may be older than all that the server remembers.
Status follow(Watcher& watcher, const ObjectChoice& choice, ObjectPrinter& printer,
              const Env& env) {
  for (;;) {
    ASSIGN_OR_RETURN(const std::string version, print_now(watcher.client, choice, printer));
    Status printed;
    Status ended = watcher.client.follow_objects(
        choice.watched(), version, env.patience,
        [&](std::string_view type, const Value& object) {
          printed = printer.print_change(type, object);
          return printed.ok();
        },
        printer.form());
    TRY(printed);
    if (ended.ok() || ended.error().code != Code::kGone) return ended;
  }
}

Status get_now(client::ControllerClient& client, const ObjectChoice& choice, bool watches,
               ObjectPrinter& printer) {
  if (choice.name.empty()) {
    ASSIGN_OR_RETURN(const std::string version, print_list(client, choice.target(), printer));
    return {};
  }
  ASSIGN_OR_RETURN(const Value answer, client.get(choice.target(), printer.form()));
  return watches ? Status() : printer.print_one(answer);
}

// --sort-by and --limit need a list: changes are shown as they come, and one object has no order.
Result<Shown> what_is_shown(const Parsed& parsed, const ObjectChoice& choice) {
  for (const char* option : {"sort-by", "limit"}) {
    if (!parsed.has(option) || (choice.name.empty() && !parsed.has("watch"))) continue;
    return invalid_argument("USAGE", "it orders a list; leave the name and --watch out, or this",
                            cat("--", option));
  }
  Shown shown;
  ASSIGN_OR_RETURN(shown.output, parse_object_output(parsed.text("output")));
  ASSIGN_OR_RETURN(shown.labels, label_columns(parsed));
  const bool rows = !shown.output.is_document() && shown.output.format != OutputFormat::kName;
  if (parsed.has("watch")) return shown;
  ASSIGN_OR_RETURN(shown.order, list_order(parsed, choice.kind, rows));
  return shown;
}

// In a table an array stands for its elements, unless somebody chooses which runs are meant.
bool hides_elements(const Parsed& parsed, const ObjectChoice& choice, const Shown& shown) {
  return choice.kind == Kind::kRun && choice.name.empty() && choice.selector.empty() &&
         choice.fields.empty() && !shown.output.is_document() &&
         shown.output.format != OutputFormat::kName && !parsed.has("all-elements");
}

// One that is not there does not keep the others from being shown.
Result<int> get_several(Watcher& watcher, const Parsed& parsed,
                        const std::vector<ObjectChoice>& choices, const Env& env) {
  const ObjectChoice& first = choices.front();
  for (const ObjectChoice& each : choices) {
    if (each.kind == first.kind && !parsed.has("watch")) continue;
    return invalid_argument(
        "USAGE",
        parsed.has("watch")
            ? "one object is watched, or a list with --selector"
            : cat("one kind at a time: `paddock get ", info(first.kind).singular, "/", first.name,
                  "`, then `paddock get ", info(each.kind).singular, "/", each.name, "`"),
        "NAME");
  }
  ASSIGN_OR_RETURN(const Shown shown, what_is_shown(parsed, first));
  ObjectPrinter printer(first, shown, env);
  std::vector<Value> documents;
  auto code = for_each(choices, env, [&](const ObjectChoice& each) -> Status {
    ASSIGN_OR_RETURN(Value answer,
                     or_other_kind(watcher.client, parsed, each.name,
                                   watcher.client.get(each.target(), printer.form())));
    if (!printer.prints_documents()) return printer.print_one(answer);
    documents.push_back(std::move(answer));
    return {};
  });
  if (code.ok() && !documents.empty())
    print_document(as_list(std::move(documents)), shown.output, env);
  return code;
}

Result<int> get(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const std::vector<ObjectChoice> choices, object_choices(parsed));
  if (choices.size() > 1) return get_several(watcher, parsed, choices, env);
  ObjectChoice choice = choices.front();
  const bool watches = parsed.has("watch");
  ASSIGN_OR_RETURN(Shown shown, what_is_shown(parsed, choice));
  if (hides_elements(parsed, choice, shown)) choice.selector = cat("!", contracts::kArrayLabel);
  ObjectPrinter printer(choice, std::move(shown), env);
  // One that is not there is said to be missing, not awaited.
  if (!watches || !choice.name.empty()) {
    TRY(or_other_kind(watcher.client, parsed, choice.name,
                      get_now(watcher.client, choice, watches, printer)));
  }
  if (watches) TRY(follow(watcher, choice, printer, env));
  return kExitOk;
}

// An object of a newer server has fields that we do not know, and some kinds say it all themselves:
// shown as it is.
std::string description(Kind kind, const Value& object, const Env& env) {
  const Result<std::string> text = describe_object(kind, object, env.clock.wall());
  return text.ok() ? *text : document_text(object, OutputFormat::kYaml);
}

// One below the other, as each would be alone.
Status describe_all(client::ControllerClient& client, const ObjectChoice& choice, const Env& env) {
  bool found = false;
  TRY(client.list(choice.target(), client::ListForm::kObjects, [&](Value& page) -> Status {
    for (const Value& each : items_of(page)) {
      env.out.write(cat(found ? "\n\n" : "", description(choice.kind, each, env)));
      found = true;
    }
    return {};
  }));
  if (!found) env.say(cat("no ", info(choice.kind).plural, " found"));
  return {};
}

Result<int> describe(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const std::vector<ObjectChoice> choices, object_choices(parsed));
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   resolve_endpoint(connection_options(parsed), env));
  client::ControllerClient client(endpoint, env.patience);
  say_when_waiting(client, env);
  bool any = false;
  return for_each(choices, env, [&](const ObjectChoice& choice) -> Status {
    if (choice.name.empty()) return describe_all(client, choice, env);
    ASSIGN_OR_RETURN(const Value object,
                     or_other_kind(client, parsed, choice.name, client.get(choice.target())));
    env.out.write(cat(any ? "\n\n" : "", description(choice.kind, object, env)));
    any = true;
    return {};
  });
}

}  // namespace

int get_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return get(watcher, parsed, env); });
}
int describe_command(const Parsed& parsed, Env& env) {
  const Result<int> code = describe(parsed, env);
  return code.ok() ? *code : fail(env, code.error());
}

}  // namespace paddock::cli
