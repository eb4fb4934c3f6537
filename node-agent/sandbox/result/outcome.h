// How a launch ended, as facts, and what they mean. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>

#include "common/base/error.h"
#include "common/base/units.h"
#include "common/contracts/sandbox_result.h"

namespace paddock::sandbox {

// Why the launcher killed the process tree, if it did. The first cause counts.
enum class EndCause {
  kNone,
  kWallTime,
  kCpuTime,
  kOutOfMemory,
  kSockets,
  kSharedMemory,
  kLocks,
  kFolders,
  kDisk,
  kCanceled
};

// Locks on ranges of files that a run may hold: some 24 MiB of the kernel's memory.
inline constexpr int64_t kMostRangeLocks = 131'072;

struct Readings {
  std::optional<Millis> cpu;  // of all processes, from the cgroup; else from wait
  std::optional<int64_t> peak_memory_bytes;
  std::optional<int64_t> peak_pids;
  int64_t oom_kills = 0;  // processes inside that were killed, whatever memory ran out
  // How often the run itself met its memory limit; unknown where the kernel does not count that.
  std::optional<int64_t> memory_limit_hits;
  int64_t pids_refused = 0;
};

// The result of measuring the workspace.
enum class DiskHit { kBytes, kFiles, kUnmeasured, kOverdue };

// The private scratch space when the command ended.
struct ScratchState {
  bool bytes_full = false;
  bool files_full = false;
};

namespace outcome {
struct Refused {  // nothing was started
  Error error;
};
struct SetupFailed {  // a step before exec failed; the command never ran
  Error error;
};
struct NotExecutable {  // exec itself failed
  int errno_value = 0;
};
struct Ended {  // the command ran
  EndCause cause = EndCause::kNone;
  std::optional<int> wait_status;  // of the command; none if everything was killed first
  Millis main_cpu{0};              // of the command and the children it waited for
  Readings readings;
  ScratchState scratch;
  std::optional<DiskHit> disk;
  std::string forbidden_call;  // the system call for which the launcher killed the command
  // Signals that the kernel sends at a limit (SIGXCPU, SIGXFSZ), if processes inside sent them too.
  std::set<int> limit_signals_sent = {};
};
}  // namespace outcome

using Outcome =
    std::variant<outcome::Refused, outcome::SetupFailed, outcome::NotExecutable, outcome::Ended>;

// The limits that a status depends on.
struct Bounds {
  std::optional<Millis> cpu_time;
  std::optional<int64_t> pids;
  std::optional<int64_t> memory;
};

// Sets status, rc, reason, errorClass and code, by the table of docs/results.md.
void classify(const Outcome& outcome, const Bounds& bounds, const std::string& command,
              contracts::SandboxResult& result);

// Completes a result that has its status and its denials; call it after classify(). A failed run
// that was denied something gets the class that says so, cut output a code of its own, and a run
// without some of its limits a reason. The kernel does not count how often a process met the limit
// of its address space or of its open files. So where a failed command complains of such a limit,
// the reason names it, and nothing else in the result depends on that.
struct Remarks {
  bool output_cut = false;  // at the policy's cap
  bool partial = false;
};
void remark(const Remarks& remarks, contracts::SandboxResult& result);

}  // namespace paddock::sandbox
