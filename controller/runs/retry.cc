#include "controller/runs/retry.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "controller/runs/kept_off.h"
#include "controller/runs/transitions.h"

namespace paddock::runs {

namespace {

using contracts::RetryCause;
using contracts::RunPhase;

// Failures without a result after which the command may have run.
bool may_have_run(std::string_view reason) {
  return is_one_of(reason, {"LAUNCHER_LOST", "ATTEMPT_REPEATED", "ARTIFACTS_FAILED"});
}

bool of_the_disk(std::string_view reason) {
  return is_one_of(reason, {contracts::kNodeDiskFull, contracts::kDiskReadOnly,
                            contracts::kDiskFails, "NODE_DISK_TOO_SMALL"});
}

bool command_never_started(const contracts::Run& run, const contracts::RunOutcome& outcome) {
  if (outcome.phase != RunPhase::kFailed) return false;
  if (run.status.started_at || run.status.phase == RunPhase::kRunning) return false;
  if (may_have_run(outcome.reason)) return false;
  // A launcher that was lost with its node's disk: whoever knows that nothing was started says so.
  if (of_the_disk(outcome.reason) && !outcome.refused.value_or(false)) return false;
  return !outcome.result || outcome.result->status == contracts::SandboxStatus::kInternalError;
}

constexpr int64_t kMostRefusals = 10;
// The same limit for a run that asks every few minutes: it waits for room for its files, or came
// back to the only node that could take it.
constexpr int64_t kMostWhileItWaits = 1000;

}  // namespace

int64_t counted_attempts(const contracts::Run& run) {
  return run.status.attempt - run.status.refusals;
}

bool was_refused(const contracts::Run& run, const contracts::RunOutcome& outcome) {
  const bool begun = run.status.started_at || run.status.phase == RunPhase::kRunning;
  const bool waits =
      outcome.disk_needed || run.status.disk_needed || kept_off(run) == run.status.node_name;
  return outcome.refused.value_or(false) && outcome.phase == RunPhase::kFailed && !outcome.result &&
         !begun && run.status.refusals < (waits ? kMostWhileItWaits : kMostRefusals);
}

Millis retry_delay(const contracts::RetryPolicy& policy, int64_t attempt) {
  Millis wait = policy.backoff.value;
  for (int64_t i = 1; i < attempt && wait < policy.max_backoff.value; ++i) wait *= 2;
  return std::min(wait, policy.max_backoff.value);
}

bool may_retry(const contracts::Run& run, RetryCause cause) {
  const auto& policy = run.spec.retry;
  if (!policy || run.spec.cancel_requested || counted_attempts(run) >= policy->max_attempts)
    return false;
  const auto& eviction = run.status.eviction;
  if (eviction && ends_for_good(*eviction)) return false;
  return policy->on.empty() || std::ranges::find(policy->on, cause) != policy->on.end();
}

std::optional<RetryCause> retry_cause(const contracts::Run& run,
                                      const contracts::RunOutcome& outcome) {
  if (outcome.phase == RunPhase::kCanceled && run.status.eviction) return RetryCause::kEvicted;
  if (command_never_started(run, outcome)) return RetryCause::kStartFailed;
  return std::nullopt;
}

bool ends_for_good(const contracts::Eviction& eviction) {
  return eviction.reason == kDeadlineExceeded || eviction.reason == kGangEnded;
}

}  // namespace paddock::runs
