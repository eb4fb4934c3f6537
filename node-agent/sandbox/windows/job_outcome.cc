#include "node-agent/sandbox/windows/job_outcome.h"

#include <array>
#include <cstdio>

#include "common/base/text.h"
#include "common/contracts/limit_field.h"

namespace paddock::sandbox {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;

std::string status_name(uint32_t code) {
  std::array<char, 16> text{};
  (void)std::snprintf(text.data(), text.size(), "0x%08X", code);
  return text.data();
}

// STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES, STATUS_COMMITMENT_LIMIT, and two more by which
// programs run out of memory.
bool is_out_of_memory(uint32_t code) {
  constexpr std::array kCodes = {0xC0000017u, 0xC000009Au, 0xC000012Du, 0xC00000A2u, 0xC00000A7u};
  for (const uint32_t each : kCodes) {
    if (each == code) return true;
  }
  return false;
}

void set_end(SandboxResult& result, SandboxStatus status, std::string reason, int64_t rc = 1) {
  result.status = status;
  result.rc = rc;
  result.reason = std::move(reason);
}

void explain_exit(const JobFacts& facts, SandboxResult& result) {
  const uint32_t code = facts.exit_code;
  if (code == 0) return set_end(result, SandboxStatus::kOk, "", 0);
  if (facts.events.time_limit)
    return set_end(result, SandboxStatus::kCpuLimit,
                   "CPU time limit reached by all processes together");
  if (is_out_of_memory(code))
    return set_end(result, SandboxStatus::kMemLimit,
                   cat("memory limit reached (", status_name(code), ")"));
  if (facts.events.memory_limit)
    return set_end(result, SandboxStatus::kMemLimit,
                   cat("memory limit reached: the job's own message; exited with ", code));
  if (facts.events.active_process_limit) {
    result.code = Reason("E_LIMIT_PIDS");
    return set_end(result, SandboxStatus::kLimitExceeded,
                   cat("the pids limit was reached; exited with ", code));
  }
  const bool exception = code >= 0xC0000000u;
  set_end(result, SandboxStatus::kFailed,
          exception ? cat("ended by exception ", status_name(code)) : cat("exited with ", code),
          code);
}

void explain(const JobFacts& facts, SandboxResult& result) {
  switch (facts.end) {
    case JobEnd::kWallTime:
      return set_end(result, SandboxStatus::kTimeout, "wall time limit reached");
    case JobEnd::kCanceled:
      return set_end(result, SandboxStatus::kCanceled, "canceled");
    case JobEnd::kCpuTime:
      return set_end(result, SandboxStatus::kCpuLimit,
                     "CPU time limit reached by all processes together");
    case JobEnd::kItself:
      break;
  }
  explain_exit(facts, result);
}

}  // namespace

void classify_job(const JobFacts& facts, SandboxResult& result) {
  explain(facts, result);
  contracts::apply_status_table(result);
  result.limit = contracts::limit_that_ended(result);
  const bool own_end =
      result.status == SandboxStatus::kOk || result.status == SandboxStatus::kFailed;
  if (facts.output_cut && own_end) result.code = Reason("E_LIMIT_OUTPUT");
  if (!facts.partial) return;
  constexpr Reason kPartial = "PARTIAL_ENFORCEMENT";
  result.reason =
      result.reason.empty() ? std::string(kPartial) : cat(kPartial, ": ", result.reason);
}

}  // namespace paddock::sandbox
