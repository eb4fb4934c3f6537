// How a launch in a Job Object ended, and what that means, by the table of docs/results.md. Pure.
// Windows has no signals: a cause is the launcher's own, the job's own message, or an exit code.
#pragma once

#include "common/contracts/sandbox_result.h"
#include "node-agent/sandbox/windows/win32.h"

namespace paddock::sandbox {

enum class JobEnd { kItself, kWallTime, kCpuTime, kCanceled };

struct JobFacts {
  JobEnd end = JobEnd::kItself;
  uint32_t exit_code = 0;
  JobEvents events;
  bool output_cut = false;
  bool partial = false;
};

// Sets status, rc, reason, errorClass and code.
void classify_job(const JobFacts& facts, contracts::SandboxResult& result);

}  // namespace paddock::sandbox
