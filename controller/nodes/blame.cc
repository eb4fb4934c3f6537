#include "controller/nodes/blame.h"

#include "controller/runs/retry.h"

namespace paddock::nodes {
namespace {

using contracts::RunPhase;

bool ended_before_its_command(const contracts::Run& before, const contracts::RunReport& report) {
  return report.outcome && report.outcome->phase == RunPhase::kFailed &&
         !before.status.started_at && !report.started_at &&
         before.status.phase != RunPhase::kRunning && report.phase != RunPhase::kRunning;
}

// Others it may begin, so it need not rest.
bool lacks_packages(const contracts::RunOutcome& outcome) {
  return is_one_of(outcome.reason, {"ENVIRONMENT_UNAVAILABLE"});
}

// A run that the node took on, and gave back without naming a fault of its own. Of what it could
// not even take on, no run is to blame.
bool was_refused_by_the_system(const contracts::Run& before, const contracts::RunReport& report) {
  const bool taken_on =
      report.phase == RunPhase::kPreparing || before.status.phase == RunPhase::kPreparing;
  return taken_on && report.outcome->refused.value_or(false) &&
         is_one_of(report.outcome->reason, {"SYSTEM_ERROR"});
}

// Whether the disk of the node failed, which no run can cause.
bool ended_by_the_disk(const contracts::RunOutcome& outcome) {
  return outcome.phase == RunPhase::kFailed &&
         is_one_of(outcome.reason, {contracts::kDiskReadOnly, contracts::kDiskFails});
}

// Whether the run's launcher died, or could set up no sandbox, before the command began.
bool was_not_begun(const contracts::Run& before, const contracts::RunReport& report) {
  return ended_before_its_command(before, report) &&
         is_one_of(report.outcome->reason, {"LAUNCHER_LOST", "SandboxError"});
}

}  // namespace

bool is_in_doubt(const contracts::Run& before, const contracts::RunReport& report) {
  return ended_before_its_command(before, report) && !report.outcome->result &&
         (lacks_packages(*report.outcome) || was_refused_by_the_system(before, report));
}

std::optional<Blame> blame_for(const contracts::Run& before, const contracts::RunReport& report) {
  if (!report.outcome || report.outcome->disk_needed) return std::nullopt;
  if (is_in_doubt(before, report))
    return lacks_packages(*report.outcome) ? std::nullopt : std::optional(Blame::kNodeOrRun);
  if (runs::was_refused(before, *report.outcome) || ended_by_the_disk(*report.outcome))
    return Blame::kNode;
  return was_not_begun(before, report) ? std::optional(Blame::kNodeOrRun) : std::nullopt;
}

}  // namespace paddock::nodes
