#include "common/mcp/argument_names.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/base/text.h"

namespace paddock::mcp {
namespace {

// A field of what the API was sent, and the argument that it was made of.
struct Origin {
  std::string_view field;
  std::string_view argument;
};
constexpr std::array kOrigins = {
    Origin{"spec.sandbox.network.allowDomains", "allowDomains"},
    Origin{"spec.sandbox.network", "allowDomains"},
    Origin{"spec.sandbox.limits.fsBytes", "disk"},
    Origin{"spec.sandbox.limits.fileSize", "disk"},
    Origin{"spec.sandbox.limits.memory", "memory"},
    Origin{"spec.sandbox.limits.pids", "pids"},
    Origin{"spec.sandbox.env", "env"},
    Origin{"spec.resources.accelerators.count", "acceleratorCount"},
    Origin{"spec.resources.accelerators", "accelerator"},
    Origin{"spec.resources.cpu", "cpu"},
    Origin{"spec.resources.memory", "memory"},
    Origin{"spec.artifacts.dirs", "artifactDirs"},
    Origin{"spec.requirements", "requirements"},
    Origin{"spec.workspaceRoot", "workspace"},
    Origin{"spec.workspace", "workspace"},
    Origin{"spec.command", "command"},
    Origin{"spec.timeout", "timeout"},
    Origin{"spec.type", "type"},
    Origin{"spec.security.network.allowDomains", "allowDomains"},
    Origin{"spec.security.network", "allowDomains"},
    Origin{"spec.security.toolAllowlist", "tools"},
    Origin{"spec.security.limits.timeoutMs", "commandTimeoutSeconds"},
    Origin{"spec.security.limits.memoryBytes", "memory"},
    Origin{"spec.security.limits.fsBytes", "disk"},
    Origin{"spec.idleTimeout", "idleMinutes"},
    Origin{"metadata.name", "name"},
};

// "spec.command[2]" of words that came apart is "args[1]".
std::string argument_of(const std::string& field, bool apart) {
  for (const Origin& each : kOrigins) {
    if (!field.starts_with(each.field)) continue;
    const std::string rest = field.substr(each.field.size());
    if (!rest.empty() && rest[0] != '[' && rest[0] != '.') continue;
    if (each.argument != "command" || rest.empty() || rest.back() != ']')
      return cat(each.argument, rest);
    const auto word = parse_integer<int64_t>(std::string_view(rest).substr(1, rest.size() - 2));
    if (!apart || !word || *word == 0) return std::string(each.argument);
    return cat("args[", *word - 1, "]");
  }
  return field;
}

std::string told(const Cause& cause) { return cat(cause.field, ": ", cause.message); }

}  // namespace

Error as_arguments(Error error, const Arguments& given) {
  if (error.causes.empty()) return error;
  const bool apart = given.find("args") != nullptr;
  const bool named = error.message.starts_with(told(error.causes.front()));
  std::vector<Cause> causes;
  for (Cause& cause : error.causes) {
    cause.field = argument_of(cause.field, apart);
    if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(std::move(cause));
  }
  error.causes = std::move(causes);
  // The message has the form that Check::error() gives it.
  if (named) error.message = told(error.causes.front());
  if (named && error.causes.size() > 1)
    error.message += cat(" (and ", error.causes.size() - 1, " more)");
  return error;
}

}  // namespace paddock::mcp
