#include "node-agent/executor/outcome.h"

#include <algorithm>
#include <iterator>

#include "common/base/text.h"
#include "common/contracts/disk_end.h"
#include "common/contracts/limit_field.h"
#include "common/contracts/node.h"
#include "common/contracts/sandbox_refusal.h"
#include "node-agent/devices/disk_ledger.h"

namespace paddock::executor {
namespace {

using contracts::RunOutcome;
using contracts::RunPhase;
using contracts::SandboxStatus;

struct Words {
  RunPhase phase;
  Reason reason;
  const char* sentence;
};

Words words_for(SandboxStatus status) {
  switch (status) {
    case SandboxStatus::kOk:
      return {RunPhase::kSucceeded, "Completed", "the command ended with exit code 0"};
    case SandboxStatus::kFailed:
      return {RunPhase::kFailed, "NonZeroExit", "the command ended with exit code "};
    case SandboxStatus::kTimeout:
      return {RunPhase::kFailed, "Timeout", "the command was ended"};
    case SandboxStatus::kCpuLimit:
      return {RunPhase::kFailed, "CpuLimit", "the command was ended"};
    case SandboxStatus::kMemLimit:
      return {RunPhase::kFailed, "MemoryLimit", "the command was ended"};
    case SandboxStatus::kKilledTerm:
    case SandboxStatus::kKilledKill:
      return {RunPhase::kFailed, "Killed", "the command was ended by a signal"};
    case SandboxStatus::kCanceled:
      return {RunPhase::kCanceled, "Canceled", "the run was canceled"};
    case SandboxStatus::kForbiddenSyscall:
      return {RunPhase::kFailed, "ForbiddenSyscall", "the command tried a forbidden system call"};
    case SandboxStatus::kLimitExceeded:
      return {RunPhase::kFailed, "LimitExceeded", "the command came to a limit"};
    case SandboxStatus::kInternalError:
      return {RunPhase::kFailed, "SandboxError", "the sandbox could not be set up"};
  }
  return {RunPhase::kFailed, "SandboxError", "the sandbox gave no known status"};
}

// The limit that ended it, that it lived through, or that it complains of. Cut output has its own
// mark.
std::string_view limit_met(const contracts::SandboxResult& result) {
  const std::string_view ended = contracts::limit_that_ended(result);
  if (!ended.empty()) return ended;
  std::vector<std::string_view> met = contracts::limits_outlived(result);
  std::erase_if(met, [](std::string_view field) { return field == "stdout" || field == "stderr"; });
  std::ranges::copy(contracts::limits_complained_of(result), std::back_inserter(met));
  return met.empty() ? std::string_view() : met[0];
}

// The sandbox's own words where they say more than the exit code: a program that is not there, a
// signal, a limit.
bool explains(const contracts::SandboxResult& result) {
  if (result.reason.empty()) return false;
  if (result.status == SandboxStatus::kOk)
    return contracts::output_was_lost(result) || !limit_met(result).empty();
  if (result.status == SandboxStatus::kCanceled) return result.reason != "canceled";
  return result.status != SandboxStatus::kFailed || result.reason != cat("exited with ", result.rc);
}

// The field that lets the same run go on, and how much of it there was.
std::string raises(std::string_view field, const std::string& was) {
  const std::string where =
      field == "wallTime" ? "spec.timeout" : cat("spec.sandbox.limits.", field);
  return cat("; ", where, was.empty() ? "" : cat(" was ", was), " and may be raised");
}

std::string raises(const contracts::SandboxResult& result) {
  const std::string_view field = limit_met(result);
  return field.empty() ? std::string() : raises(field, contracts::limit_text(result, field));
}

}  // namespace

RunOutcome outcome_of(const contracts::SandboxResult& result) {
  const Words words = words_for(result.status);
  RunOutcome out{.phase = words.phase, .reason = words.reason, .message = words.sentence};
  if (result.status == SandboxStatus::kFailed) out.message += std::to_string(result.rc);
  if (const auto refused = contracts::refusal_of(result)) out.reason = refused->reason;
  if (explains(result)) out.message += cat(": ", result.reason);
  out.message += raises(result);
  out.result = result;
  return out;
}

RunOutcome outcome_of_error(const Error& given, bool cancel_requested) {
  const Error error = contracts::name_full_disk(given);
  if (cancel_requested) {
    return {.phase = RunPhase::kCanceled,
            .reason = Reason("Canceled"),
            .message = "the run was canceled before its command started"};
  }
  RunOutcome out{.phase = RunPhase::kFailed, .reason = error.reason, .message = error.message};
  if (contracts::is_host_fault(error) || error.reason == devices::kNodeDiskTooSmall)
    out.refused = true;
  for (const Cause& cause : error.causes) {
    if (cause.message != error.message) out.message += cat("; ", cause.field, ": ", cause.message);
  }
  return out;
}

RunOutcome outcome_of_lost_launcher(bool command_started, const std::optional<Error>& fault) {
  RunOutcome out{
      .phase = RunPhase::kFailed,
      .reason = fault ? fault->reason : "LAUNCHER_LOST",
      .message = command_started
                     ? "the sandbox launcher died without a result; the command was ended with it"
                     : "the sandbox launcher died without a result; the command may or may not "
                       "have started, and is not started again"};
  if (fault) out.message += cat(": ", fault->message);
  return out;
}

RunOutcome outcome_of_canceled_without_result() {
  return {.phase = RunPhase::kCanceled,
          .reason = Reason("Canceled"),
          .message =
              "the run was canceled; its sandbox launcher was gone without a result, and "
              "the command with it"};
}

RunOutcome outcome_of_overdue(const contracts::SandboxPolicy& policy) {
  return {.phase = RunPhase::kFailed,
          .reason = Reason("Timeout"),
          .message = cat("the command was ended by its node behind its wall time limit: its "
                         "sandbox launcher stood still and was killed with it, so there is no "
                         "result",
                         raises("wallTime", contracts::limit_text(policy.limits, "wallTime")))};
}

RunOutcome outcome_of_disk(const std::string& why,
                           const std::optional<contracts::SandboxResult>& result) {
  RunOutcome out{
      .phase = RunPhase::kFailed, .reason = contracts::kDiskRequestExceeded, .message = why};
  out.result = result;
  return out;
}

RunOutcome outcome_of_unreadable(const Error& why) {
  const Error named = contracts::name_full_disk(why);
  // What the system refused may come without a word of whether the command had begun.
  const bool of_disk = named.reason != Reason("SYSTEM_ERROR");
  return {.phase = RunPhase::kFailed,
          .reason = of_disk ? named.reason : Reason("LAUNCHER_LOST"),
          .message = cat("the command was ended, as its output could not be read any more: ",
                         named.message)};
}

}  // namespace paddock::executor
