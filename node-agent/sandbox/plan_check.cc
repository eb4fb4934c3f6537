#include "node-agent/sandbox/plan_parts.h"

namespace paddock::sandbox {
namespace {

Status check_mount(const std::string& host_path, const std::string& sandbox_path) {
  if (host_path.empty() || host_path[0] != '/') {
    return refuse("INVALID_MOUNT",
                  cat("the source of the mount at ", sandbox_path, " is not an absolute path"));
  }
  if (!may_be_target(sandbox_path)) {
    return refuse("INVALID_MOUNT",
                  cat("nothing can be mounted at ", sandbox_path,
                      ": it is not a clean absolute path, or the system is there"));
  }
  return {};
}

}  // namespace

Status check_request(const contracts::LaunchRequest& request) {
  for (const auto& mount : request.mounts) TRY(check_mount(mount.host_path, mount.sandbox_path));
  for (const auto& mount : request.policy.host_mounts)
    TRY(check_mount(mount.host_path, mount.sandbox_path));
  if (request.workdir.empty() || request.workdir[0] != '/') {
    return refuse("INVALID_WORKDIR", "workdir is not an absolute path");
  }
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

}  // namespace paddock::sandbox
