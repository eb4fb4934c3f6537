#include "node-agent/sandbox/macos/backend.h"

#include <signal.h>

#include <algorithm>

#include "node-agent/sandbox/macos/run_folder.h"

namespace paddock::sandbox {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxResult;

// What classify() says about the kernel's own events is the launcher's doing here.
void name_polled_limits(const Outcome& outcome, bool pids_passed, SandboxResult& result) {
  const auto* ended = std::get_if<outcome::Ended>(&outcome);
  if (ended == nullptr) return;
  result.usage.cpu_ms = std::max(ended->main_cpu, ended->readings.cpu.value_or(Millis(0))).count();
  if (ended->cause == EndCause::kOutOfMemory)
    result.reason = "memory limit reached: the launcher saw it and killed the process group";
  if (!pids_passed || ended->cause != EndCause::kNone) return;
  result.status = contracts::SandboxStatus::kLimitExceeded;
  result.code = Reason("E_LIMIT_PIDS");
  result.reason = "the pids limit was passed: the launcher saw it and killed the process group";
  result.limit = "pids";
  contracts::apply_status_table(result);
}

Outcome run_plan(const LaunchRequest& request, const SeatbeltPlan& plan, const RunPaths& paths,
                 EventWriter& events, const Clock& clock, const SeatbeltHost& host,
                 ReadGroup read_group, SandboxResult& result) {
  auto signals = SignalPipe::make();
  if (!signals.ok()) return outcome::SetupFailed{signals.error()};
  auto group = start_confined(plan, host.sandbox_exec, paths.confine);
  if (!group.ok()) return outcome::SetupFailed{group.error()};
  GroupSupervisor supervisor(std::move(group).value(), plan, events, clock, read_group, *signals,
                             request.inline_output_bytes);
  const Outcome outcome = supervisor.run();
  // The limit of pids is the plan's own here: classify() would take a full house for a full stop.
  classify(outcome, {plan.cpu_time, std::nullopt}, request.command[0], result);
  name_polled_limits(outcome, supervisor.pids_passed(), result);
  supervisor.describe(result);
  return outcome;
}

}  // namespace

void hold_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : SignalPipe::kCancel) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

SandboxResult launch_confined(const LaunchRequest& request, EventWriter& events, const Clock& clock,
                              const SeatbeltHost& host, ReadGroup read_group) {
  SandboxResult result;
  result.cmd = request.command;
  result.trace_id = request.trace_id;
  result.policy = request.policy;
  const auto never_ran = [&](const Error& error) {
    classify(outcome::Refused{error}, {}, "", result);
    return result;
  };
  auto folder = RunFolder::make(host.runs, request.policy);
  if (!folder.ok()) return never_ran(folder.error());
  const auto paths = folder->paths(request, host.confine);
  if (!paths.ok()) return never_ran(paths.error());
  const auto plan = make_seatbelt_plan(request, host, *paths);
  if (!plan.ok()) return never_ran(plan.error());
  result.enforced = plan->enforced;
  run_plan(request, *plan, *paths, events, clock, host, read_group, result);
  return result;
}

}  // namespace paddock::sandbox
