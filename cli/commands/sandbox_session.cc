// `paddock sandbox create`, `cancel`, `list` and `destroy`.
#include "cli/client/name_choice.h"
#include "cli/client/other_kind.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/option_files.h"
#include "cli/options/session_options.h"
#include "cli/output/output_format.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/for_each.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/named_file.h"
#include "cli/terminal/safe_output.h"
#include "common/base/percent.h"
#include "common/contracts/api_paths.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

namespace paths = contracts::paths;
constexpr size_t kMostBytes = 1 << 20;
constexpr const char* kPlural = "sandboxes";

std::string name_space(const Parsed& parsed) { return parsed.text("namespace", "default"); }

std::string session_path(const Parsed& parsed, const std::string& name) {
  return paths::object(name_space(parsed), kPlural, name);
}

// NAME and --name are the same.
Result<std::string> wanted_name(const Parsed& parsed) {
  if (parsed.has("NAME") && parsed.has("name"))
    return invalid_argument("USAGE", "NAME or --name: leave one of the two out", "--name");
  return parsed.text("NAME", parsed.text("name"));
}

Result<std::optional<std::string>> security_text(const Parsed& parsed) {
  if (!parsed.has("security")) return std::optional<std::string>();
  const ReadingFile reading;
  const std::string file = parsed.text("security");
  auto text = read_file_or_stdin(file, kMostBytes);
  if (text.ok()) return std::optional<std::string>(std::move(text).value());
  return invalid_argument("SECURITY_UNREADABLE", of_named_file(text.error(), file).message,
                          "--security");
}

Result<int> create_session(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
  ASSIGN_OR_RETURN(const auto security, security_text(parsed));
  contracts::Sandbox session;
  ASSIGN_OR_RETURN(session.spec, session_spec(parsed, env, security));
  ASSIGN_OR_RETURN(session.metadata.name, wanted_name(parsed));
  if (session.metadata.name.empty()) session.metadata.generate_name = "sandbox-";
  ASSIGN_OR_RETURN(const wire::Value made,
                   watcher.client.send("POST", paths::collection(name_space(parsed), kPlural),
                                       wire::encode(session), make_uuid(env.random)));
  if (is_document(format)) {
    env.out.write(document_text(made, format));
  } else {
    env.out.write(cat(printable(made.text("metadata.name")), "\n"));
  }
  return kExitOk;
}

Result<int> cancel(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kSandbox, parsed.text("NAME")));
  const std::string target =
      cat(session_path(parsed, name), "/commands/", percent_encode(parsed.text("ID")), "/cancel");
  ASSIGN_OR_RETURN([[maybe_unused]] const wire::Value answer,
                   watcher.client.send("POST", target, wire::Value::Object{}));
  env.say(cat("command ", parsed.text("ID"), " is being canceled"));
  return kExitOk;
}

Result<int> destroy(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   chosen_names(watcher.client, parsed, Kind::kSandbox));
  return for_each(names, env, [&](const std::string& name) -> Status {
    const auto answer = watcher.client.send("DELETE", session_path(parsed, name), wire::Value());
    if (!answer.ok()) return with_other_kind(watcher.client, parsed, name, answer.error());
    env.say(cat("sandbox ", printable(name), " destroyed"));
    return {};
  });
}

}  // namespace

int sandbox_create_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return create_session(watcher, parsed, env); });
}
int sandbox_cancel_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return cancel(watcher, parsed, env); });
}
int sandbox_destroy_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return destroy(watcher, parsed, env); });
}
int sandbox_list_command(const Parsed& parsed, Env& env) {
  Parsed get = parsed;
  get.command = "get";
  get.values["KIND"] = {kPlural};
  return get_command(get, env);
}

}  // namespace paddock::cli
