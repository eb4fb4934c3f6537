#include "node-agent/sandbox/result/outcome.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "common/base/text.h"
#include "common/base/units.h"
#include "common/contracts/limit_field.h"
#include "common/contracts/sandbox_refusal.h"

namespace paddock::sandbox {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;

// One text, whether the kernel's signal or the launcher's count came first: they race.
constexpr const char* kCpuLimitReached = "CPU time limit reached (as by signal 24)";

void set(SandboxResult& result, SandboxStatus status, std::string reason, int64_t rc = 1) {
  result.status = status;
  result.rc = rc;
  result.reason = std::move(reason);
}

void explain(const outcome::Refused& refused, SandboxResult& result) {
  if (refused.error.reason == "COMMAND_TOO_LARGE") {
    result.code = Reason("E_LIMIT_COMMAND");
    return set(result, SandboxStatus::kLimitExceeded,
               cat("command too large: ", refused.error.message));
  }
  contracts::tell_not_started(refused.error, result);
}

void explain(const outcome::NotExecutable& failure, const std::string& command,
             SandboxResult& result) {
  if (failure.errno_value == ENOENT || failure.errno_value == ENOTDIR) {
    return set(result, SandboxStatus::kFailed, cat("command not found: ", command), 127);
  }
  set(result, SandboxStatus::kFailed,
      cat("command cannot be executed: ", command, ": ", strerror(failure.errno_value)), 126);
}

// The kernel counts a process's time by samples, so it may signal before the exact sum is there.
// Half of the limit is far more than a process that only sends itself the signal will have used.
bool is_kernels_cpu_signal(Millis used, const std::optional<Millis>& limit) {
  return limit && used * 2 >= *limit;
}

// `sent`: by processes inside. Then it is no word of the kernel, or not for certain.
void explain_signal(int signal, const std::set<int>& sent, Millis used, const Bounds& bounds,
                    SandboxResult& result) {
  switch (signal) {
    case SIGXCPU:
      if (sent.contains(signal) || !is_kernels_cpu_signal(used, bounds.cpu_time)) break;
      return set(result, SandboxStatus::kCpuLimit, kCpuLimitReached);
    case SIGXFSZ:
      if (sent.contains(signal)) break;
      result.code = Reason("E_LIMIT_FS");
      result.limit = contracts::kFileSize;
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

// The kernel's own out-of-memory events; those of the host as a whole are not the run's limit.
std::string memory_reached(const Readings& readings, const Bounds& bounds) {
  std::string out = "memory limit reached: the kernel's out-of-memory event";
  if (!bounds.memory) return out;
  if (readings.peak_memory_bytes) out += cat("; peak ", *readings.peak_memory_bytes >> 20, "Mi");
  return out + cat("; limits.memory is ", format_quantity(*bounds.memory));
}

std::string sockets_reached(const Bounds& bounds) {
  return cat("memory limit reached: by what its sockets held, or by their number",
             bounds.memory ? cat("; limits.memory is ", format_quantity(*bounds.memory)) : "");
}

std::string folders_reached(const Bounds& bounds) {
  return cat("memory limit reached: by what the kernel keeps for open folders",
             bounds.memory ? cat("; limits.memory is ", format_quantity(*bounds.memory)) : "");
}

bool explain_memory(const outcome::Ended& ended, const Bounds& bounds, SandboxResult& result) {
  if (ended.cause != EndCause::kOutOfMemory && ended.readings.oom_kills == 0) return false;
  if (ended.readings.memory_limit_hits == 0) {
    set(result, SandboxStatus::kKilledKill, "the host ran out of memory and killed it (signal 9)");
  } else {
    set(result, SandboxStatus::kMemLimit, memory_reached(ended.readings, bounds));
  }
  return true;
}

void explain_disk(DiskHit hit, SandboxResult& result) {
  result.code = hit == DiskHit::kFiles ? Reason("E_LIMIT_FILES") : "E_LIMIT_FS";
  const char* reason = "the workspace's folders became too deep to be measured";
  if (hit == DiskHit::kOverdue) reason = "the command kept the workspace from being measured";
  if (hit == DiskHit::kBytes) reason = "the workspace grew by more than fsBytes";
  if (hit == DiskHit::kFiles) reason = "the workspace grew by more than fileCount files";
  set(result, SandboxStatus::kLimitExceeded, reason);
}

struct LimitHit {
  Reason code;
  std::string what;
};

std::optional<LimitHit> scratch_hit(const ScratchState& scratch) {
  if (scratch.files_full) return LimitHit{"E_LIMIT_FILES", "no more files could be made"};
  if (scratch.bytes_full) return LimitHit{"E_LIMIT_FS", "the scratch space is full"};
  return std::nullopt;
}

// The limit that was used up when the command failed. Only what the kernel says counts: how many
// processes there were, which forks it refused, and whether scratch space is full.
std::optional<LimitHit> limit_hit(const outcome::Ended& ended, const Bounds& bounds) {
  const Readings& readings = ended.readings;
  if (readings.pids_refused > 0 ||
      (bounds.pids && readings.peak_pids && *readings.peak_pids >= *bounds.pids))
    return LimitHit{"E_LIMIT_PIDS", "the pids limit was reached"};
  return scratch_hit(ended.scratch);
}

// If the command ended well, full scratch space is only a remark: the command may have meant to use
// all of it.
void tell_of_full_scratch(const ScratchState& scratch, SandboxResult& result) {
  const auto hit = scratch_hit(scratch);
  if (!hit) return;
  result.code = hit->code;
  result.reason = hit->what;
}

void explain_end(const outcome::Ended& ended, Millis used, const Bounds& bounds,
                 SandboxResult& result) {
  const int status = *ended.wait_status;
  if (WIFSIGNALED(status) && !ended.forbidden_call.empty()) {
    set(result, SandboxStatus::kForbiddenSyscall,
        cat("forbidden system call: ", ended.forbidden_call));
  } else if (WIFSIGNALED(status)) {
    explain_signal(WTERMSIG(status), ended.limit_signals_sent, used, bounds, result);
  } else if (const int rc = WEXITSTATUS(status); rc == 0) {
    set(result, SandboxStatus::kOk, "", 0);
    tell_of_full_scratch(ended.scratch, result);
  } else {
    set(result, SandboxStatus::kFailed, cat("exited with ", rc), rc);
  }
  if (result.status != SandboxStatus::kFailed) return;
  if (const auto hit = limit_hit(ended, bounds)) {
    result.code = hit->code;
    return set(result, SandboxStatus::kLimitExceeded, cat(hit->what, "; ", result.reason));
  }
  // A shell whose program was ended so says it by its own exit code.
  if (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGXFSZ)
    result.limit = contracts::kFileSize;
}

void explain(const outcome::Ended& ended, const Bounds& bounds, SandboxResult& result) {
  if (ended.cause == EndCause::kWallTime)
    return set(result, SandboxStatus::kTimeout, "wall time limit reached");
  if (ended.cause == EndCause::kCanceled) return set(result, SandboxStatus::kCanceled, "canceled");
  if (explain_memory(ended, bounds, result)) return;
  if (ended.cause == EndCause::kSockets)
    return set(result, SandboxStatus::kMemLimit, sockets_reached(bounds));
  if (ended.cause == EndCause::kLocks)
    return set(result, SandboxStatus::kMemLimit,
               cat("memory limit reached: by more than ", kMostRangeLocks,
                   " locks on ranges of files (fcntl)"));
  if (ended.cause == EndCause::kSharedMemory)
    return set(result, SandboxStatus::kMemLimit,
               "memory limit reached: by what one process shares (MAP_SHARED, files in memory), "
               "by its page tables, or by data that it has sealed");
  if (ended.cause == EndCause::kFolders)
    return set(result, SandboxStatus::kMemLimit, folders_reached(bounds));
  const Millis used = std::max(ended.main_cpu, ended.readings.cpu.value_or(Millis(0)));
  if (ended.cause == EndCause::kCpuTime || (bounds.cpu_time && used >= *bounds.cpu_time)) {
    return set(result, SandboxStatus::kCpuLimit, kCpuLimitReached);
  }
  if (ended.disk) return explain_disk(*ended.disk, result);
  if (!ended.wait_status)
    return set(result, SandboxStatus::kKilledKill, "the sandbox was killed from outside");
  explain_end(ended, used, bounds, result);
}

}  // namespace

void classify(const Outcome& outcome, const Bounds& bounds, const std::string& command,
              SandboxResult& result) {
  if (const auto* refused = std::get_if<outcome::Refused>(&outcome)) {
    explain(*refused, result);
  } else if (const auto* failed = std::get_if<outcome::SetupFailed>(&outcome)) {
    contracts::tell_not_started({Code::kInternal, "SANDBOX_SETUP_FAILED", failed->error.message},
                                result);
  } else if (const auto* missing = std::get_if<outcome::NotExecutable>(&outcome)) {
    explain(*missing, command, result);
  } else if (const auto* ended = std::get_if<outcome::Ended>(&outcome)) {
    explain(*ended, bounds, result);
  }
  contracts::apply_status_table(result);
  result.limit = contracts::limit_that_ended(result);
}

void remark(const Remarks& remarks, SandboxResult& result) {
  const bool failed = result.status == SandboxStatus::kFailed;
  if (failed && !result.denials.empty()) {
    result.error_class = "CAPABILITY_DENIED";
    result.code = Reason("E_CAPABILITY_DENIED");
  } else if (!result.code && remarks.output_cut &&
             (failed || result.status == SandboxStatus::kOk)) {
    result.code = Reason("E_LIMIT_OUTPUT");
  }
  if (const std::string complaints = contracts::complaints_text(result); !complaints.empty())
    result.reason += cat(result.reason.empty() ? "" : "; ", complaints);
  if (!remarks.partial) return;
  constexpr Reason kPartial = "PARTIAL_ENFORCEMENT";
  result.reason =
      result.reason.empty() ? std::string(kPartial) : cat(kPartial, ": ", result.reason);
}

}  // namespace paddock::sandbox
