// `paddock token create|list|revoke` and `paddock grant explain`.
#include "cli/client/name_choice.h"
#include "cli/client/token_creation.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/option_values.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/safe_output.h"
#include "cli/terminal/table.h"
#include "common/base/percent.h"
#include "common/base/units.h"
#include "common/contracts/api_paths.h"

namespace paddock::cli {
namespace {

using contracts::paths::object;
using wire::Value;

// The API's path of an action (`what`) on the object that the argument names.
Result<std::string> path_of(const Parsed& parsed, Kind kind, const char* argument,
                            const char* what) {
  ASSIGN_OR_RETURN(const std::string name, name_of(kind, parsed.text(argument)));
  const std::string plural(info(kind).plural);
  return cat(object(parsed.text("namespace", "default"), plural, name), what);
}

Value list_of(const std::vector<std::string>& words) {
  Value::Array out;
  for (const std::string& each : words) out.emplace_back(each);
  return out;
}

Result<int> create_tool_token(Watcher& watcher, const Parsed& parsed, const Env& env) {
  if (parsed.list("operation").empty())
    return invalid_argument("USAGE", "say what the token is good for", "--operation");
  Value request = Value::Object{{"operations", list_of(parsed.list("operation"))}};
  if (parsed.has("endpoint")) request.set("endpoints", list_of(parsed.list("endpoint")));
  if (parsed.has("ttl")) request.set("ttl", parsed.text("ttl"));
  if (parsed.has("revoke-on-stream-end")) request.set("revokeOnStreamEnd", true);
  ASSIGN_OR_RETURN(const std::string target, path_of(parsed, Kind::kRun, "RUN", "/tool-tokens"));
  const std::string name_space = parsed.text("namespace", "default");
  ASSIGN_OR_RETURN(const Value token,
                   create_token({.post =
                                     [&](const std::string& key) {
                                       return watcher.client.send("POST", target, request, key);
                                     },
                                 .end = [&](const Value& made) -> Status {
                                   const auto ended = watcher.client.send(
                                       "DELETE",
                                       object(name_space, "tooltokens", made.text("metadata.name")),
                                       Value());
                                   return ended.ok() ? Status() : Status(ended.error());
                                 },
                                 .secret = "status.token"},
                                env.random));
  env.out.write(cat(printable(token.text("status.token")), "\n"));
  env.say(cat("tool token ", printable(token.text("metadata.name")), " of run ",
              printable(token.text("spec.run")), ", until ",
              printable(token.text("status.expiresAt")), "; its secret is not shown again"));
  return kExitOk;
}

Result<Value> question_of(const Parsed& parsed) {
  Value question = Value::Object{};
  if (parsed.has("surface")) question.set("surface", parsed.text("surface"));
  if (parsed.has("model")) question.set("model", parsed.text("model"));
  if (parsed.has("timeout")) question.set("timeout", parsed.text("timeout"));
  Value resources = Value::Object{};
  ASSIGN_OR_RETURN(const auto cores, integer_option(parsed, "cpu", 1, 4096));
  if (cores) resources.set("cpu", *cores);
  if (parsed.has("memory")) resources.set("memory", parsed.text("memory"));
  if (parsed.has("accelerator")) {
    ASSIGN_OR_RETURN(const auto wanted, parse_accelerator(parsed.text("accelerator")));
    resources.set("accelerators", wire::encode(wanted));
  }
  if (!resources.object()->empty()) question.set("resources", std::move(resources));
  return question;
}

Result<int> explain_permission(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const Value question, question_of(parsed));
  ASSIGN_OR_RETURN(const std::string target, path_of(parsed, Kind::kGrant, "NAME", "/explain"));
  ASSIGN_OR_RETURN(const Value answer, watcher.client.send("POST", target, question));
  Table table{{"GRANT", "RULE", "ASKED", "GIVEN", "ALLOWED"}, {}};
  const auto yes = [](const Value& object) {
    const Value* flag = object.find("allowed");
    return flag != nullptr && flag->boolean() != nullptr && *flag->boolean();
  };
  if (const Value* checks = answer.find("checks");
      checks != nullptr && checks->array() != nullptr) {
    for (const Value& check : *checks->array()) {
      table.rows.push_back({check.text("grant"), check.text("rule"), check.text("asked"),
                            check.text("given"), yes(check) ? "yes" : "no"});
    }
  }
  env.out.write(render(table));
  if (yes(answer)) return kExitOk;
  env.say(cat(printable(answer.text("reason")), ": ", printable(answer.text("message"))));
  return kExitDenied;
}

}  // namespace

int token_create_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env,
               [&](Watcher& watcher) { return create_tool_token(watcher, parsed, env); });
}

int token_list_command(const Parsed& parsed, Env& env) {
  Parsed get = parsed;
  get.values["KIND"] = {"tooltokens"};
  return get_command(get, env);
}

int token_revoke_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::string target,
                     path_of(parsed, Kind::kToolToken, "NAME", "/revoke"));
    ASSIGN_OR_RETURN(const Value answer, watcher.client.send("POST", target, Value::Object{}));
    env.say(cat("tool token ", printable(answer.text("metadata.name")), " is ",
                printable(ascii_lower(answer.text("status.phase")))));
    return kExitOk;
  });
}

int grant_explain_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env,
               [&](Watcher& watcher) { return explain_permission(watcher, parsed, env); });
}

}  // namespace paddock::cli
