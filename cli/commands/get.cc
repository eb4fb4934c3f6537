// `paddock get` and `describe`: any object, as a table or a document, also as it changes.
#include "cli/commands/commands.h"
#include "cli/core/describe.h"
#include "cli/core/error_text.h"
#include "cli/core/exit_codes.h"
#include "cli/core/object_choice.h"
#include "cli/core/object_output.h"
#include "cli/core/object_table.h"
#include "cli/core/watching.h"

namespace paddock::cli {
namespace {

using wire::Value;

// Prints objects as they are asked for; those of a table come below each other.
class Printer {
 public:
  Printer(const ObjectChoice& choice, const ObjectOutput& output, const Env& env)
      : choice_(choice), output_(output), env_(env) {}

  void print_list(const Value& answer) {
    if (output_.is_document()) return print_document(answer, output_, env_);
    print_items(items_of(choice_, answer));
  }
  void print_items(const std::vector<Value>& items) {
    if (items.empty()) return env_.say(cat("no ", info(choice_.kind).plural, " found"));
    if (!output_.is_document()) return print_rows(items);
    for (const Value& each : items) print_document(each, output_, env_);
  }

 private:
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
};

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

// What is there, one after another, and then every change, until Ctrl-C. When the server no longer
// has all changes behind that, everything is shown anew. The version to go on from is the list's:
// an object's own may be older than all that the server remembers.
Status follow(Watcher& watcher, const ObjectChoice& choice, Printer& printer, const Env& env) {
  ObjectChoice list = choice;
  list.name.clear();
  for (;;) {
    ASSIGN_OR_RETURN(const Value now, watcher.client.get(choice.watched()));
    printer.print_items(items_of(list, now));
    Status ended = watcher.client.follow_objects(
        choice.watched(), now.text("metadata.resourceVersion"), env.patience,
        [&](std::string_view type, const Value& object) {
          const std::string name = printable(object.text("metadata.name"));
          if (type == "DELETED") env.say(cat(info(choice.kind).singular, " ", name, " is deleted"));
          if (type != "DELETED") printer.print_items({object});
          return true;
        });
    if (ended.ok() || ended.error().code != Code::kGone) return ended;
  }
}

Result<int> get(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const ObjectChoice choice, object_choice(parsed));
  ASSIGN_OR_RETURN(const ObjectOutput output, parse_object_output(parsed.text("output")));
  Printer printer(choice, output, env);
  const bool watches = parsed.has("watch");
  // One that is not there is said to be missing, not awaited.
  if (!watches || !choice.name.empty()) {
    ASSIGN_OR_RETURN(const Value answer, watcher.client.get(choice.target()));
    if (!watches) printer.print_list(answer);
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
