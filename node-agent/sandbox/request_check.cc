#include "node-agent/sandbox/request_check.h"

#include "common/base/text.h"
#include "node-agent/sandbox/enforcement.h"

namespace paddock::sandbox {

Status check_command(const contracts::LaunchRequest& request) {
  if (request.command.empty() || request.command[0].empty()) {
    return refuse("INVALID_COMMAND", "the command is empty");
  }
  int64_t bytes = 0;
  for (const std::string& word : request.command) {
    if (word.find('\0') != std::string::npos)
      return refuse("INVALID_COMMAND", "the command contains a NUL byte");
    bytes += static_cast<int64_t>(word.size()) + 1;
  }
  for (const auto& [name, value] : request.env) {
    if (name.empty() || name.find('=') != std::string::npos ||
        name.find('\0') != std::string::npos || value.find('\0') != std::string::npos) {
      return refuse("INVALID_ENVIRONMENT", "a variable's name is empty or has '=' or a NUL byte");
    }
  }
  const auto& limit = request.policy.limits.command_bytes;
  if (limit && bytes > limit->bytes + 1) {
    return Error{
        Code::kTooLarge, "COMMAND_TOO_LARGE",
        cat("the command has ", bytes - 1, " bytes; at most ", limit->bytes, " are allowed")};
  }
  return {};
}

Status refuse_layers(const contracts::LaunchRequest& request) {
  for (const contracts::LaunchMount& mount : request.mounts) {
    if (mount.lower_path.empty()) continue;
    return refuse("INVALID_MOUNT",
                  cat("this system has no layered folders, as asked for at ", mount.sandbox_path));
  }
  return {};
}

}  // namespace paddock::sandbox
