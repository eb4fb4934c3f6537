#include "node-agent/sandbox/plan/request_check.h"

#include "common/base/text.h"
#include "common/contracts/homes.h"
#include "common/contracts/inner_paths.h"
#include "common/contracts/secret.h"
#include "node-agent/sandbox/result/enforcement.h"

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

Status check_scratch(const contracts::LaunchRequest& request) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  const auto outside = [](const std::string& path) {
    return refuse("INVALID_SCRATCH", cat(path, " is not a clean path below /tmp"));
  };
  for (const std::string& folder : request.scratch_folders)
    if (!contracts::is_scratch_path(folder)) return outside(folder);
  size_t bytes = 0;
  for (const auto& [path, content] : request.scratch_files) {
    if (!contracts::is_scratch_path(path)) return outside(path);
    bytes += content.size();
  }
  if (bytes <= kMostBytes) return {};
  return refuse("INVALID_SCRATCH", "the files for the scratch space have more than 1 MiB");
}

Status check_stdin(const contracts::LaunchRequest& request) {
  const std::string& file = request.stdin_file;
  if (file.empty()) return {};
  if (!request.input_file.empty())
    return refuse("INVALID_STDIN", "the standard input is one file, or another that grows");
  if (contracts::is_clean_absolute(file)) return {};
  return refuse("INVALID_STDIN", "stdinFile is not a clean absolute path");
}

Status check_secrets(const contracts::LaunchRequest& request) {
  const std::string folder = cat(contracts::kSandboxSecrets, "/");
  size_t bytes = 0;
  for (const contracts::LaunchSecret& secret : request.secrets) {
    const auto value = decode_base64(secret.value);
    if (!value) return refuse("INVALID_SECRET", "the value of a secret is no base64");
    bytes += value->size();
    if (secret.file.empty()) continue;
    if (!contracts::is_clean_absolute(secret.file) || !secret.file.starts_with(folder))
      return refuse("INVALID_SECRET", cat(secret.file, " is not a clean path below ", folder));
  }
  if (bytes <= contracts::kMaxRunSecretBytes) return {};
  return refuse("INVALID_SECRET",
                cat("the secrets have more than ", contracts::kMaxRunSecretBytes, " bytes"));
}

Status refuse_layers(const contracts::LaunchRequest& request) {
  for (const contracts::LaunchMount& mount : request.mounts) {
    if (mount.lower_path.empty()) continue;
    return refuse("INVALID_MOUNT",
                  cat("this system has no layered folders, as asked for at ", mount.sandbox_path));
  }
  if (!request.scratch_files.empty())
    return refuse("INVALID_SCRATCH", "this system has no scratch space that is the run's alone");
  for (const contracts::LaunchSecret& secret : request.secrets) {
    if (secret.file.empty()) continue;
    return refuse("INVALID_SECRET",
                  "this system shows no secrets as files; let the run have them as variables");
  }
  if (!request.stdin_file.empty())
    return refuse("INVALID_STDIN",
                  "this system gives no file as standard input; let the command open it");
  return {};
}

}  // namespace paddock::sandbox
