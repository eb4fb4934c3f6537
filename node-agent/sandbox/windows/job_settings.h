// The limits of a Windows Job Object, and what they are worth. Pure.
// A job limits and kills; it isolates neither files nor network, and the result says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/contracts/launch.h"
#include "node-agent/sandbox/result/enforcement.h"
#include "node-agent/sandbox/result/launcher_limits.h"

namespace paddock::sandbox {

// JOBOBJECT_EXTENDED_LIMIT_INFORMATION and JOBOBJECT_BASIC_UI_RESTRICTIONS, as far as they are
// used.
struct JobSettings {
  uint32_t flags = 0;
  uint32_t active_processes = 0;
  uint64_t job_memory_bytes = 0;
  int64_t job_time_100ns = 0;  // CPU time in user mode, all processes
  uint32_t ui = 0;
  friend bool operator==(const JobSettings&, const JobSettings&) = default;
};

namespace job {  // as Windows numbers them; win32/ checks that
inline constexpr uint32_t kJobTime = 0x4;
inline constexpr uint32_t kActiveProcess = 0x8;
inline constexpr uint32_t kJobMemory = 0x200;
inline constexpr uint32_t kDieOnUnhandledException = 0x400;
inline constexpr uint32_t kKillOnClose = 0x2000;
inline constexpr uint32_t kEveryUiRestriction = 0xff;
}  // namespace job

// One limit of the policy and the flag that holds it.
struct JobLimit {
  std::string name;  // in `enforced`
  uint32_t flag = 0;
};

struct JobPlan {
  JobSettings settings;
  std::vector<JobLimit> limits;  // each must be found in the job again
  std::optional<Millis> cpu_time;
  LauncherLimits launcher;
  Enforced enforced;
  bool partial = false;
};

// `open_host`: the operator accepts that nothing keeps a command from the host's files and network.
// Without it nothing runs: no policy can ask for that.
Result<JobPlan> make_job_plan(const contracts::LaunchRequest& request, bool open_host);

// Compares the job with what it really holds: limits that are missing in it are refused, or with
// allowPartial reported as missing.
Status compare_job(const JobSettings& found, bool allow_partial, JobPlan& plan);

// One line per setting, for tests and for people.
std::string describe_job(const JobSettings& settings);

}  // namespace paddock::sandbox
