#include "node-agent/sandbox/outcome.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstring>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;

void set(SandboxResult& result, SandboxStatus status, std::string reason, int64_t rc = 1) {
  result.status = status;
  result.rc = rc;
  result.reason = std::move(reason);
}

void explain(const outcome::Refused& refused, SandboxResult& result) {
  if (refused.error.reason == "COMMAND_TOO_LARGE") {
    result.code = "E_LIMIT_COMMAND";
    return set(result, SandboxStatus::kLimitExceeded,
               cat("command too large: ", refused.error.message));
  }
  set(result, SandboxStatus::kInternalError,
      cat(refused.error.reason, ": ", refused.error.message));
}

void explain(const outcome::NotExecutable& failure, const std::string& command,
             SandboxResult& result) {
  if (failure.errno_value == ENOENT || failure.errno_value == ENOTDIR) {
    return set(result, SandboxStatus::kFailed, cat("command not found: ", command), 127);
  }
  set(result, SandboxStatus::kFailed,
      cat("command cannot be executed: ", command, ": ", strerror(failure.errno_value)), 126);
}

void explain_signal(int signal, bool cpu_used_up, SandboxResult& result) {
  if (signal == SIGXCPU || (signal == SIGKILL && cpu_used_up)) {
    return set(result, SandboxStatus::kCpuLimit,
               cat("CPU time limit reached (signal ", signal, ")"));
  }
  switch (signal) {
    case SIGSYS:
      return set(result, SandboxStatus::kForbiddenSyscall,
                 "a forbidden system call was made (signal 31)");
    case SIGXFSZ:
      result.code = "E_LIMIT_FS";
      return set(result, SandboxStatus::kLimitExceeded, "file size limit reached (signal 25)");
    case SIGTERM:
      return set(result, SandboxStatus::kKilledTerm, "ended by signal 15");
    case SIGKILL:
      return set(result, SandboxStatus::kKilledKill, "ended by signal 9");
    default:
      break;
  }
  set(result, SandboxStatus::kFailed, cat("ended by signal ", signal), 128 + signal);
}

void explain(const outcome::Ended& ended, std::optional<Millis> cpu_limit, SandboxResult& result) {
  switch (ended.cause) {
    case EndCause::kWallTime:
      return set(result, SandboxStatus::kTimeout, "wall time limit reached");
    case EndCause::kCanceled:
      return set(result, SandboxStatus::kCanceled, "canceled");
    case EndCause::kCpuTime:
      return set(result, SandboxStatus::kCpuLimit,
                 "CPU time limit reached by all processes together");
    case EndCause::kOutOfMemory:
      return set(result, SandboxStatus::kMemLimit,
                 "memory limit reached: the kernel's out-of-memory event");
    case EndCause::kNone:
      break;
  }
  if (ended.readings.oom_kills > 0) {
    return set(result, SandboxStatus::kMemLimit,
               "memory limit reached: the kernel's out-of-memory event");
  }
  if (!ended.wait_status)
    return set(result, SandboxStatus::kKilledKill, "the sandbox was killed from outside");
  const int status = *ended.wait_status;
  const Millis used = std::max(ended.main_cpu, ended.readings.cpu.value_or(Millis(0)));
  if (WIFSIGNALED(status)) {
    return explain_signal(WTERMSIG(status), cpu_limit && used >= *cpu_limit, result);
  }
  const int rc = WEXITSTATUS(status);
  if (rc == 0) return set(result, SandboxStatus::kOk, "", 0);
  set(result, SandboxStatus::kFailed, cat("exited with ", rc), rc);
}

}  // namespace

void classify(const Outcome& outcome, std::optional<Millis> cpu_limit, const std::string& command,
              SandboxResult& result) {
  if (const auto* refused = std::get_if<outcome::Refused>(&outcome)) {
    explain(*refused, result);
  } else if (const auto* failed = std::get_if<outcome::SetupFailed>(&outcome)) {
    set(result, SandboxStatus::kInternalError,
        cat("SANDBOX_SETUP_FAILED: ", failed->error.message));
  } else if (const auto* missing = std::get_if<outcome::NotExecutable>(&outcome)) {
    explain(*missing, command, result);
  } else if (const auto* ended = std::get_if<outcome::Ended>(&outcome)) {
    explain(*ended, cpu_limit, result);
  }
  contracts::apply_status_table(result);
}

}  // namespace paddock::sandbox
