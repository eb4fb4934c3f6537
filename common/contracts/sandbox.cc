#include "common/contracts/sandbox.h"

#include <algorithm>
#include <set>

#include "common/contracts/ceilings.h"
#include "common/contracts/names.h"

namespace paddock::contracts {
namespace {

using wire::Check;
using wire::Duration;
using wire::Quantity;

// The processes of one command together: more than its time on any number of processors would be.
constexpr int64_t kProcessors = 64;
constexpr Millis kLongestCpu = std::chrono::hours(24 * 30);

template <class T>
void fill(std::optional<T>& field, T value) {
  if (!field) field = std::move(value);
}

void check_tools(const std::vector<std::string>& tools, Check& check) {
  const Check::Scope list(check, "toolAllowlist");
  std::set<std::string_view> seen;
  for (size_t i = 0; i < tools.size(); ++i) {
    const Check::Scope item(check, i);
    if (tools[i].empty() || tools[i].size() > 255 || tools[i].find('\0') != std::string::npos)
      check.fail("must be the name or absolute path of a program, of 1 to 255 bytes");
    else if (!seen.insert(tools[i]).second)
      check.fail("is given twice");
  }
}

void check_time(std::string_view name, const std::optional<Duration>& time, Check& check) {
  if (!time) return;
  if (time->value < Millis(1'000) || time->value > kLongestLifetime)
    check.fail(name, "must be from 1s to 168h");
}

SandboxLimits limits_of(const SessionLimits& limits) {
  SandboxLimits out;
  const Millis time(limits.timeout_ms.value_or(session_defaults::kTimeoutMs));
  const Quantity files{limits.fs_bytes.value_or(session_defaults::kFsBytes)};
  out.wall_time = Duration{time};
  // The time limit is the one that ends a command, so that its reason never varies.
  out.cpu_time = Duration{std::min(time * kProcessors, kLongestCpu)};
  out.memory = Quantity{limits.memory_bytes.value_or(session_defaults::kMemoryBytes)};
  out.fs_bytes = files;
  out.file_size = files;
  out.file_count = limits.file_count.value_or(session_defaults::kFileCount);
  out.stdout_bytes = Quantity{limits.stdout_bytes.value_or(session_defaults::kOutputBytes)};
  out.stderr_bytes = Quantity{limits.stderr_bytes.value_or(session_defaults::kOutputBytes)};
  out.command_bytes = Quantity{limits.command_bytes.value_or(session_defaults::kCommandBytes)};
  return out;
}

}  // namespace

const Condition* node_trouble(const SessionStatus& status) {
  const auto found = std::ranges::find(status.conditions, kNodeTrouble, &Condition::type);
  return found == status.conditions.end() ? nullptr : &*found;
}

const std::vector<std::string>& default_session_tools() {
  static const std::vector<std::string> kTools = {
      "awk",   "base64", "basename", "bash",   "cat",       "chmod",    "cmp",      "comm",
      "cp",    "cut",    "date",     "diff",   "dirname",   "du",       "echo",     "env",
      "expr",  "false",  "find",     "fold",   "grep",      "gzip",     "head",     "id",
      "join",  "ln",     "ls",       "md5sum", "mkdir",     "mktemp",   "mv",       "nl",
      "od",    "paste",  "printf",   "pwd",    "python3",   "readlink", "realpath", "rm",
      "rmdir", "sed",    "seq",      "sh",     "sha256sum", "sleep",    "sort",     "split",
      "stat",  "tac",    "tail",     "tar",    "tee",       "test",     "timeout",  "touch",
      "tr",    "true",   "uname",    "uniq",   "wc",        "xargs",    "yes"};
  return kTools;
}

std::vector<std::string> session_programs(const std::vector<std::string>& tools) {
  std::vector<std::string> out = tools;
  const std::string shell(kSessionShell);
  if (std::ranges::find(out, shell) == out.end()) out.push_back(shell);
  return out;
}

void SecurityOptions::validate(Check& check) const {
  SandboxPolicy same;
  same.network = network;
  same.host_mounts = host_mounts;
  same.env = env;
  same.validate(check);
  if (tool_allowlist) check_tools(*tool_allowlist, check);
}

void SandboxSpec::validate(Check& check) const {
  check_time("idleTimeout", idle_timeout, check);
  check_time("lifetime", lifetime, check);
  check_grace_field(termination_grace, check);
}

void CommandRequest::validate(Check& check) const {
  if (command.find('\0') != std::string::npos) check.fail("command", "must not have a NUL byte");
  if (!command_id.empty() && !is_dns_label(command_id))
    check.fail("commandId", "must be lower-case letters, digits and '-', at most 63");
}

SandboxSpec with_session_defaults(SandboxSpec spec) {
  namespace d = session_defaults;
  SessionLimits& limits = spec.security.limits;
  fill(limits.timeout_ms, d::kTimeoutMs);
  fill(limits.memory_bytes, d::kMemoryBytes);
  fill(limits.fs_bytes, d::kFsBytes);
  fill(limits.file_count, d::kFileCount);
  fill(limits.stdout_bytes, d::kOutputBytes);
  fill(limits.stderr_bytes, d::kOutputBytes);
  fill(limits.command_bytes, d::kCommandBytes);
  fill(limits.rpc_bytes, d::kRpcBytes);
  fill(spec.security.network.loopback, d::kLoopback);
  fill(spec.security.tool_allowlist, default_session_tools());
  fill(spec.idle_timeout, Duration{d::kIdleTimeout});
  fill(spec.lifetime, Duration{d::kLifetime});
  return spec;
}

SandboxPolicy session_policy(const SecurityOptions& security, const SandboxPolicy& profile) {
  SandboxPolicy out = profile;
  out.network = security.network;
  if (!out.network->loopback && profile.network) out.network->loopback = profile.network->loopback;
  out.host_mounts = security.host_mounts;
  for (const auto& [name, value] : security.env) out.env[name] = value;
  out.tools = session_programs(security.tool_allowlist.value_or(default_session_tools()));
  out.limits = profile.limits.overridden_by(limits_of(security.limits));
  out.allow_partial = false;
  return out;
}

RunResult run_result(SandboxResult result, std::string command_id) {
  RunResult out;
  out.command_id = std::move(command_id);
  out.exit_code = result.rc;
  out.out = std::move(result.out);
  out.err = std::move(result.err);
  out.execution_time_ms = result.duration_ms;
  if (result.truncated.out || result.truncated.err) out.truncated = result.truncated;
  out.error_class = std::move(result.error_class);
  out.code = std::move(result.code);
  if (result.status != SandboxStatus::kOk) out.reason = std::move(result.reason);
  out.denials = std::move(result.denials);
  // Also where the shell went on and ended well: what was not allowed did not happen.
  if (!out.denials.empty() && !out.error_class) {
    out.error_class = "CAPABILITY_DENIED";
    out.code = Reason("E_CAPABILITY_DENIED");
  }
  if (result.status == SandboxStatus::kTimeout) {
    if (!out.err.empty() && !out.err.ends_with('\n')) out.err += '\n';
    out.err += "command timeout\n";
  }
  return out;
}

RunResult too_large_command(std::string command_id, int64_t limit) {
  RunResult out;
  out.command_id = std::move(command_id);
  out.exit_code = 1;
  out.err = "command too large\n";
  out.error_class = "LIMIT_EXCEEDED";
  out.code = Reason("E_LIMIT_COMMAND");
  out.reason = cat("the command is longer than the session's commandBytes, ", limit);
  return out;
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Sandbox);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::CommandRequest);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::RunResult);
