#include "controller/runs/gang_members.h"

#include "common/base/text.h"
#include "controller/runs/conditions.h"
#include "controller/runs/phase_table.h"
#include "controller/runs/retry.h"
#include "controller/runs/stream_events.h"

namespace paddock::runs {

using contracts::Run;
using contracts::RunPhase;

bool waits_for_gang(const Run& run) {
  const auto& eviction = run.status.eviction;
  return eviction && eviction->reason == kGangRestarted && !run.spec.cancel_requested;
}

Events join_gang_again(Run& run, WallTime now) {
  contracts::RunStatus& status = run.status;
  const std::string why = status.eviction->message;
  if (!apply(run, Fact::kRetried)) panic("only a placed member can be placed again");
  leave_node(status);
  status.reason = kRetry;
  status.message = cat("attempt ", status.attempt, " is over: ", why);
  set_condition(status, {"Scheduled", "False", status.reason, status.message}, now);
  return {phase_event(run, now)};
}

Events restart_member(Run& run, const std::string& why, WallTime now) {
  return evict(run, {kGangRestarted, why, {}}, now);
}

Events end_member(Run& run, const std::string& why, WallTime now) {
  contracts::RunStatus& status = run.status;
  if (contracts::is_terminal(status.phase) || run.spec.cancel_requested ||
      (status.eviction && ends_for_good(*status.eviction)))
    return {};
  const bool placed = status.phase != RunPhase::kPending;
  if (!apply(run, placed ? Fact::kEvicted : Fact::kCancelRequested))
    panic("an active member can always be ended");
  status.reason = kGangEnded;
  status.message = why;
  if (!placed) return conclude(run, now);
  status.eviction = contracts::Eviction{kGangEnded, why, wire::Timestamp{now}};
  status.message = cat(why, "; waiting for the node to end it");
  return {phase_event(run, now)};
}

Events fail_member(Run& run, const std::string& why, WallTime now) {
  if (run.status.phase != RunPhase::kPending || !apply(run, Fact::kExpired)) return {};
  run.status.reason = kGangEnded;
  run.status.message = why;
  return conclude(run, now);
}

}  // namespace paddock::runs
