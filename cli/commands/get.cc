// `paddock get`, `describe` and `delete`: any object, as a table or a document.
#include "cli/commands/commands.h"
#include "cli/core/describe.h"
#include "cli/core/error_text.h"
#include "cli/core/exit_codes.h"
#include "cli/core/kinds.h"
#include "cli/core/output_format.h"
#include "common/base/percent.h"
#include "common/client/controller_client.h"
#include "common/contracts/api_paths.h"

namespace paddock::cli {
namespace {

using wire::Value;

struct ObjectChoice {
  Kind kind = Kind::kRun;
  std::string name;  // empty: the whole list
  std::string name_space;
  std::string selector;
  bool all_namespaces = false;

  std::string target() const {
    const bool everywhere = all_namespaces || !info(kind).namespaced;
    const std::string plural(info(kind).plural);
    const std::string where = everywhere ? "" : name_space;
    std::string path = name.empty() ? contracts::paths::collection(where, plural)
                                    : contracts::paths::object(where, plural, percent_encode(name));
    if (!selector.empty()) path += cat("?labelSelector=", percent_encode(selector));
    return path;
  }
};

Result<ObjectChoice> object_choice(const Parsed& parsed) {
  ObjectChoice choice;
  std::string kind = parsed.text("KIND");
  choice.name = parsed.text("NAME");
  // kubectl's other way: run/hello
  if (const size_t slash = kind.find('/'); slash != std::string::npos && choice.name.empty()) {
    choice.name = kind.substr(slash + 1);
    kind.resize(slash);
  }
  ASSIGN_OR_RETURN(choice.kind, parse_kind(kind));
  choice.name_space = parsed.text("namespace", "default");
  choice.selector = parsed.text("selector");
  choice.all_namespaces = parsed.has("all-namespaces");
  if (choice.all_namespaces && !choice.name.empty()) {
    return invalid_argument("USAGE", "a name belongs to one namespace; leave -A out",
                            "--all-namespaces");
  }
  if (!choice.selector.empty() && !choice.name.empty()) {
    return invalid_argument("USAGE", "a selector chooses from a list; leave the name out",
                            "--selector");
  }
  return choice;
}

std::vector<Value> items_of(const ObjectChoice& choice, const Value& answer) {
  if (!choice.name.empty()) return {answer};
  const Value* items = answer.find("items");
  return items != nullptr && items->array() != nullptr ? *items->array() : std::vector<Value>();
}

void print_objects(const ObjectChoice& choice, OutputFormat format, const Value& answer,
                   const Env& env) {
  if (is_document(format)) return env.out.write(document_text(answer, format));
  const std::vector<Value> items = items_of(choice, answer);
  if (format == OutputFormat::kName) {
    for (const Value& item : items) {
      env.out.write(cat(info(choice.kind).singular, ".paddock.dev/",
                        printable(item.text("metadata.name")), "\n"));
    }
    return;
  }
  if (items.empty()) return env.say(cat("no ", info(choice.kind).plural, " found"));
  const TableOptions options{format == OutputFormat::kWide, choice.all_namespaces};
  env.out.write(render(object_table(choice.kind, items, options, env.clock.wall())));
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
      return Error{Code::kNotFound, "NO_DESCRIPTION", "it is shown as it is"};
    case Kind::kNode:
      return described<contracts::Node>(object, describe_node, now);
  }
  return std::string();
}

Status get(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const ObjectChoice choice, object_choice(parsed));
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   resolve_endpoint(connection_options(parsed), env));
  client::ControllerClient client(endpoint);
  ASSIGN_OR_RETURN(const Value answer, client.get(choice.target()));
  print_objects(choice, format, answer, env);
  return {};
}

Status describe(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const ObjectChoice choice, object_choice(parsed));
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   resolve_endpoint(connection_options(parsed), env));
  client::ControllerClient client(endpoint);
  ASSIGN_OR_RETURN(const Value object, client.get(choice.target()));
  const Result<std::string> text = describe_object(choice.kind, object, env.clock.wall());
  // An object of a newer server has fields that we do not know, and some kinds say it all
  // themselves: shown as it is.
  env.out.write(text.ok() ? *text : document_text(object, OutputFormat::kYaml));
  return {};
}

Status delete_object(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const ObjectChoice choice, object_choice(parsed));
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   resolve_endpoint(connection_options(parsed), env));
  client::ControllerClient client(endpoint);
  ASSIGN_OR_RETURN([[maybe_unused]] const Value answer,
                   client.send("DELETE", choice.target(), Value()));
  env.say(cat(info(choice.kind).singular, " ", choice.name, " deleted"));
  return {};
}

int finish(const Env& env, const Status& status) {
  return status.ok() ? kExitOk : fail(env, status.error());
}

}  // namespace

int get_command(const Parsed& parsed, Env& env) { return finish(env, get(parsed, env)); }
int describe_command(const Parsed& parsed, Env& env) { return finish(env, describe(parsed, env)); }
int delete_command(const Parsed& parsed, Env& env) {
  return finish(env, delete_object(parsed, env));
}

}  // namespace paddock::cli
