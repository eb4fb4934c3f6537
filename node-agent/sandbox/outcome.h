// How a launch ended, as facts, and what they mean. Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "common/base/error.h"
#include "common/base/units.h"
#include "common/contracts/sandbox_result.h"

namespace paddock::sandbox {

// Why the launcher ended the tree itself, if it did. The first cause stays.
enum class EndCause { kNone, kWallTime, kCpuTime, kOutOfMemory, kCanceled };

struct Readings {
  std::optional<Millis> cpu;  // of all processes, from the cgroup; else from wait
  std::optional<int64_t> peak_memory_bytes;
  std::optional<int64_t> peak_pids;
  int64_t oom_kills = 0;
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
};
}  // namespace outcome

using Outcome =
    std::variant<outcome::Refused, outcome::SetupFailed, outcome::NotExecutable, outcome::Ended>;

// Sets status, rc, reason, errorClass and code; `cpu_limit` and `command` are what was asked for.
void classify(const Outcome& outcome, std::optional<Millis> cpu_limit, const std::string& command,
              contracts::SandboxResult& result);

}  // namespace paddock::sandbox
