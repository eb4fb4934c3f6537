#include "cli/client/connection.h"

#include "cli/instance/program.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/named_file.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/read_stream.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr size_t kMaxSecretFile = 64 << 10;
constexpr size_t kMaxCaFile = 1 << 20;

Result<std::string> token_in(const Result<std::string>& text) {
  if (!text.ok())
    return invalid_argument("TOKEN_FILE_UNREADABLE", text.error().message, "--token-file");
  return std::string(trim(*text));
}

// The value of an option, or else of a variable, and which of the two it came from.
struct Given {
  Given(const std::string& typed, const char* option, const Env& env, const char* variable)
      : value(typed.empty() ? env.var(variable) : typed), by(typed.empty() ? variable : option) {}
  std::string value;
  const char* by;
};

// The one that the caller named; empty if none.
Result<std::string> named_token(const ConnectionOptions& options, const Env& env) {
  if (options.token_file.empty()) return env.var("PADDOCK_TOKEN");
  const ReadingFile reading;
  const Result<std::string> text = os::read_stream(options.token_file, kMaxSecretFile);
  if (text.ok()) return token_in(text);
  return token_in(of_named_file(text.error(), options.token_file));
}

Result<http::Endpoint> remote_endpoint(const ConnectionOptions& options, const Env& env) {
  http::Endpoint endpoint;
  const Given server(options.server, "--server", env, "PADDOCK_SERVER");
  const std::vector<std::string> addresses = http::addresses_in(server.value);
  for (const std::string& each : addresses) {
    const bool http = each.starts_with("https://") || each.starts_with("http://");
    if (!http || each.find(',') != std::string::npos)
      return invalid_argument("INVALID_SERVER", "must be an https:// address, or several by commas",
                              server.by);
  }
  endpoint.base_url = join(addresses, ",");
  ASSIGN_OR_RETURN(endpoint.token, named_token(options, env));
  const Given ca_file(options.ca_file, "--ca-file", env, "PADDOCK_CA_FILE");
  if (!ca_file.value.empty()) {
    const ReadingFile reading;
    Result<std::string> ca = os::read_stream(ca_file.value, kMaxCaFile);
    if (!ca.ok())
      return invalid_argument("CA_FILE_UNREADABLE", cat(ca_file.value, ": ", ca.error().message),
                              ca_file.by);
    endpoint.ca_pem = std::move(ca).value();
  }
  return endpoint;
}

// Tells a controller that ended by itself from one that nobody started.
Error not_up(const std::string& instance, const std::optional<InstancePointer>& pointer) {
  std::string said = cat("the instance `", instance, "` is not up");
  if (pointer && pointer->controller)
    said += cat(": its controller, process ", pointer->controller->pid, ", has ended");
  return {Code::kUnavailable, "INSTANCE_NOT_UP", said};
}

bool is_up(const std::optional<InstancePointer>& pointer) {
  return pointer && is_alive(pointer->controller);
}

// The pointer of an instance that is up, or comes up in time.
Result<InstancePointer> awaited_pointer(const InstancePaths& paths, const Env& env) {
  Result<std::optional<InstancePointer>> pointer = current_pointer(paths);
  const bool may_come_back = env.patience_given && pointer.ok() && *pointer && !is_up(*pointer);
  if (may_come_back) {
    LivedDeadline deadline(env.patience, env.clock.mono());
    env.say(cat(not_up(paths.name, *pointer).message, "; waiting for it for ",
                format_duration(env.patience), " (--patience)"));
    wait_until(env, deadline, [&] {
      pointer = current_pointer(paths);
      // While it starts, nobody knows yet where.
      return !pointer.ok() || !*pointer || (is_up(*pointer) && !(*pointer)->url.empty());
    });
  }
  if (!pointer.ok()) return pointer.error();
  if (!is_up(*pointer)) return not_up(paths.name, *pointer);
  return std::move(**pointer);
}

}  // namespace

ConnectionOptions connection_options(const Parsed& parsed) {
  return {parsed.text("instance"), parsed.text("server"), parsed.text("token-file"),
          parsed.text("ca-file")};
}

Result<Target> choose_target(const ConnectionOptions& options, const Env& env) {
  if (!options.server.empty() && !options.instance.empty()) {
    return invalid_argument("TWO_TARGETS", "give --server or --instance, not both", "--server");
  }
  const bool remote_from_env = options.instance.empty() && !env.var("PADDOCK_SERVER").empty();
  if (!options.server.empty() || remote_from_env) return Target{true, ""};
  const Given instance(options.instance, "--instance", env, "PADDOCK_INSTANCE");
  if (instance.value.empty()) return Target{false, "default"};
  if (const Status good = check_instance_name(instance.value); !good.ok())
    return invalid_argument(good.error().reason, good.error().message, instance.by);
  return Target{false, instance.value};
}

Result<InstancePaths> find_instance(const Env& env, const std::string& name) {
  ASSIGN_OR_RETURN(const std::string root, state_root(env.vars, env.root));
  ASSIGN_OR_RETURN(const InstancePaths own, instance_paths(root, name));
  ASSIGN_OR_RETURN(const InstanceSettings settings, read_settings(own.settings()));
  return instance_paths(root, name, settings.data_dir);
}

Result<http::Endpoint> instance_endpoint(const InstancePaths& paths, const std::string& url,
                                         std::string token) {
  http::Endpoint endpoint;
  endpoint.base_url = url;
  endpoint.token = std::move(token);
  if (endpoint.token.empty()) {
    ASSIGN_OR_RETURN(
        endpoint.token,
        token_in(os::read_file(paths.controller_data() + "/tokens/admin", kMaxSecretFile)));
  }
  const std::string ca_file = paths.controller_data() + "/tls/ca.pem";
  if (url.starts_with("https://")) {
    ASSIGN_OR_RETURN(endpoint.ca_pem, os::read_file(ca_file, kMaxCaFile));
  }
  return endpoint;
}

Result<http::Endpoint> resolve_endpoint(const ConnectionOptions& options, const Env& env) {
  ASSIGN_OR_RETURN(const Target target, choose_target(options, env));
  if (target.remote) return remote_endpoint(options, env);
  ASSIGN_OR_RETURN(const InstancePaths paths, find_instance(env, target.instance));
  ASSIGN_OR_RETURN(const InstancePointer pointer, awaited_pointer(paths, env));
  ASSIGN_OR_RETURN(std::string token, named_token(options, env));
  return instance_endpoint(paths, pointer.url, std::move(token));
}

}  // namespace paddock::cli
