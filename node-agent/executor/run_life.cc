#include "node-agent/executor/run_life.h"

#include <fcntl.h>

#include <algorithm>

#include "common/base/crash_point.h"
#include "common/base/log.h"
#include "common/contracts/node.h"
#include "common/os/file.h"
#include "common/test_report/test_report.h"
#include "common/wire/json.h"
#include "node-agent/executor/command_line.h"
#include "node-agent/executor/disk_probe.h"
#include "node-agent/executor/outcome.h"

namespace paddock::executor {

using contracts::RunPhase;

Result<std::unique_ptr<RunLife>> RunLife::accept(const ExecutorPorts& ports,
                                                 const contracts::Assignment& assignment) {
  ASSIGN_OR_RETURN(const std::string name,
                   RunFolder::name_of(assignment.run_uid, assignment.attempt));
  RunFolder folder(ports.config.runs_dir, name);
  if (os::exists(folder.path())) return recover(ports, name);
  if (ports.intents.noted(name)) {
    return Error{Code::kFailedPrecondition, "LAUNCHER_LOST",
                 "this node lost its power when the command may have been started; it is not "
                 "started again"};
  }
  TRY(folder.create(assignment));
  ASSIGN_OR_RETURN(std::unique_ptr<OutputLog> output, OutputLog::open(folder, ports.clock));
  std::unique_ptr<RunLife> life(
      new RunLife(ports, std::move(folder), assignment, RunRecord{}, std::move(output)));
  life->accepted_ = ports.clock.mono();
  return life;
}

Result<std::unique_ptr<RunLife>> RunLife::recover(const ExecutorPorts& ports,
                                                  const std::string& folder_name) {
  RunFolder folder(ports.config.runs_dir, folder_name);
  ASSIGN_OR_RETURN(contracts::Assignment assignment, folder.assignment());
  ASSIGN_OR_RETURN(const std::string name,
                   RunFolder::name_of(assignment.run_uid, assignment.attempt));
  if (name != folder_name)
    return invalid_argument("ASSIGNMENT_INVALID", "the folder of a run that was never taken on");
  ASSIGN_OR_RETURN(RunRecord record, folder.record());
  // After a loss of power the record may be older than the intent.
  if (record.stage == Stage::kAccepted && ports.intents.noted(folder_name))
    record.stage = Stage::kLaunching;
  ASSIGN_OR_RETURN(std::unique_ptr<OutputLog> output, OutputLog::open(folder, ports.clock));
  return std::unique_ptr<RunLife>(new RunLife(ports, std::move(folder), std::move(assignment),
                                              std::move(record), std::move(output)));
}

RunLife::RunLife(const ExecutorPorts& ports, RunFolder folder, contracts::Assignment assignment,
                 RunRecord record, std::unique_ptr<OutputLog> output)
    : ports_(ports),
      folder_(std::move(folder)),
      assignment_(std::move(assignment)),
      record_(std::move(record)),
      output_(std::move(output)),
      input_(folder_.file("input")),
      fetch_(ports_, assignment_.run_uid, stop_),
      finished_(ports_, folder_, assignment_) {
  recorded_ = record_.stage == Stage::kEnded;
  if (record_.stage == Stage::kLaunching) {
    begun_ns_ = output_->state().started_ms.value_or(0) * 1'000'000;
    phase_ = output_->state().started_ms ? RunPhase::kRunning : RunPhase::kPreparing;
    lease_environment_again();
    if (ports_.accelerators != nullptr)
      note_accelerators(ports_.accelerators->take_again(record_.accelerators));
    if (ports_.processors != nullptr)
      processors_.emplace(ports_.processors->take_again(record_.processors));
  }
  if (active() && ports_.trees != nullptr) {
    trees_.emplace_back(*ports_.trees, assignment_.workspace_root);
    for (const contracts::MountedVolume& each : assignment_.volumes)
      trees_.emplace_back(*ports_.trees, each.root);
  }
  if (assignment_.desired == contracts::DesiredState::kCancel)
    stop_.raise(assignment_.kill_now.value_or(false) ? StopKind::kKill : StopKind::kCancel);
}

Millis RunLife::grace() const {
  return assignment_.spec.termination_grace.value_or(wire::Wait{}).value;
}

// The whole life, top to bottom. A recovered run enters at the step that was next.
void RunLife::run() {
  NextStep next = decide();
  if (next == NextStep::kPrepare) {
    const auto request = prepare();
    if (leaving()) return;
    if (!request) return finish(not_begun(request.error()));
    if (stop_.at_least(StopKind::kCancel)) return finish(outcome_of_error({}, true));
    const Status launched = launch(*request);
    if (!launched) {
      doubt_sandbox();
      return finish(outcome_of_error(launched.error(), false));
    }
    next = NextStep::kFollow;
  }
  if (next == NextStep::kFollow) {
    const FollowEnd end = follow();
    if (end == FollowEnd::kDetached) return;
    next = end == FollowEnd::kResult ? NextStep::kCollect : NextStep::kLost;
    PADDOCK_CRASH_POINT("command-ended");
  }
  if (next == NextStep::kLost) {
    if (!output_->state().started_ms) doubt_sandbox();
    return finish(lost());
  }
  if (next == NextStep::kCollect) {
    // Artifacts are collected once the launcher has ended and the mounts are gone. Without
    // artifacts nobody has to wait for that.
    const bool looks = !assignment_.spec.artifacts.dirs.empty();
    if (looks) reap_launcher(launcher_);
    collect();
    if (!looks) reap_launcher(launcher_);
    return;
  }
  publish();
}

contracts::RunOutcome RunLife::lost() const {
  if (!record_.beyond_disk.empty()) return outcome_of_disk(record_.beyond_disk, {});
  if (unreadable_) return outcome_of_unreadable(*unreadable_);
  const StopKind wish = stop_.kind();
  if (wish == StopKind::kCancel || wish == StopKind::kKill)
    return outcome_of_canceled_without_result();
  if (overdue_) return outcome_of_overdue();
  return outcome_of_lost_launcher(output_->state().started_ms.has_value(),
                                  disk_fault(folder_.path()));
}

contracts::RunOutcome RunLife::not_begun(const Error& why) const {
  contracts::RunOutcome out = outcome_of_error(why, stop_.at_least(StopKind::kCancel));
  if (out.refused && fetch_.no_room_for() > 0)
    out.disk_needed = wire::Quantity{fetch_.no_room_for()};
  return out;
}

NextStep RunLife::decide() {
  RunFacts facts{.stage = record_.stage,
                 .launcher_alive = false,
                 .has_result = output_->state().result.has_value()};
  if (facts.stage == Stage::kLaunching) {
    // Taking the lock ourselves keeps a launcher that was about to start from starting.
    auto lock = os::LockFile::acquire(launch_files().events);
    facts.launcher_alive = !lock.ok();
    if (lock) lost_lock_.emplace(std::move(*lock));
    // It may have written its result between our first look and the lock.
    if (!output_->advance()) log_warn("a run's output is damaged", {{"run", assignment_.run_uid}});
    facts.has_result = output_->state().result.has_value();
    if (facts.launcher_alive) {
      launcher_ = {record_.launcher ? std::optional(record_.launcher->identity()) : std::nullopt,
                   false};
      if (!launcher_.identity || !os::alive(*launcher_.identity)) {
        launcher_.identity = find_lock_holder(launch_files().events);
      }
      note_launcher();
    }
  }
  return next_step(facts);
}

Status RunLife::launch(const contracts::LaunchRequest& request) {
  TRY(output_->keep_room_for_result());
  if (is_agent()) TRY(input_.open());
  PADDOCK_CRASH_POINT("launch-prepared");
  note_begin();
  record_.stage = Stage::kLaunching;
  TRY(folder_.store(record_));
  TRY(ports_.intents.note(os::base_name(folder_.path())));
  PADDOCK_CRASH_POINT("launch-intended");
  auto started =
      start_launch(ports_.server, ports_.config.sandbox_program, launch_files(), request);
  if (!started) {
    log_error("a launcher could not be started", {{"error", started.error().describe()}});
    return std::move(started).error();
  }
  PADDOCK_CRASH_POINT("launched");
  launcher_ = std::move(*started);
  note_launcher();
  if (launcher_.identity) record_.launcher = LauncherRecord::of(*launcher_.identity);
  if (const Status stored = folder_.store(record_); !stored) {
    log_warn("a launcher's identity could not be recorded", {{"error", stored.error().describe()}});
  }
  PADDOCK_CRASH_POINT("launch-recorded");
  return {};
}

// Follows the command, and beside it sends finished files; that ends when the command does.
FollowEnd RunLife::follow() {
  if (!ports_.parallel || assignment_.spec.artifacts.dirs.empty()) return follow_command();
  FollowEnd end = FollowEnd::kGone;
  StopSignal over;
  ports_.parallel({[&] {
                     end = follow_command();
                     over.raise(StopKind::kCancel);
                   },
                   [&] { finished_.send(finished_request(), over); }});
  return end;
}

FollowEnd RunLife::follow_command() {
  OutputState told{.last_seq = -1, .started_ms = {}, .result = {}};
  const LaunchTimes times{grace(), wall_time_of(assignment_.policy)};
  const FollowEnd end =
      follow_launcher(launcher_, launch_files(), stop_, times, ports_.clock, watch_, [&] {
        const Status read = output_->advance();
        if (!read && !unreadable_) {
          unreadable_ = read.error();
          stop_.raise(StopKind::kCancel);
        }
        heed_disk();
        OutputState state = output_->state();
        if (state.started_ms) phase_ = RunPhase::kRunning;
        const bool news = (is_agent() && input_.take()) || state.last_seq != told.last_seq ||
                          state.started_ms != told.started_ms;
        if (news) publish();
        told = std::move(state);
        return heard_in(told);
      });
  launcher_pid_ = 0;
  overdue_ = end == FollowEnd::kOverdue;
  if (end == FollowEnd::kGone || overdue_) reap_launcher(launcher_);
  return end;
}

void RunLife::give_input(const std::vector<contracts::RunInput>& inputs) {
  input_.give(inputs);
  stop_.nudge();
}

bool RunLife::is_judged() const {
  return assignment_.spec.type == contracts::RunType::kTest &&
         test_report::is_judged(assignment_.spec.command.argv);
}

contracts::RunOutcome RunLife::outcome_of_result(contracts::SandboxResult result) const {
  // One that an older agent launched has no judge.
  if (!is_judged() || !os::exists(tests_folder())) return outcome_of(result);
  const test_report::Verdict verdict =
      test_report::judge(command_line(assignment_.spec, assignment_.policy),
                         test_report::read(tests_folder()), result);
  contracts::RunOutcome out = outcome_of(result);
  if (verdict.reason.empty()) return out;
  out.reason = verdict.reason;
  out.message = verdict.message;
  return out;
}

void RunLife::collect() {
  const OutputState state = output_->state();
  const bool set_up = state.result->status != contracts::SandboxStatus::kInternalError;
  if (!set_up && !state.started_ms) {
    // Nothing of it was started: what the disk or the kernel refused the launcher may be nothing of
    // the run's.
    if (const auto fault = disk_fault(folder_.path())) return finish(not_begun(*fault));
    if (const auto fault = lost_sandbox(*state.result)) return finish(not_begun(*fault));
    if (leaving()) return;  // whose fault it is will be found out by the next agent
  }
  contracts::RunOutcome outcome = outcome_of_result(*state.result);
  if (unreadable_) outcome = outcome_of_unreadable(*unreadable_);
  if (!record_.beyond_disk.empty()) outcome = outcome_of_disk(record_.beyond_disk, outcome.result);
  record_.timings_ms["run"] = state.result->duration_ms;
  if (const Status collected = collect_artifacts(outcome); !collected) {
    if (leaving()) return;
    outcome.phase = RunPhase::kFailed;
    outcome.reason = Reason("ARTIFACTS_FAILED");
    outcome.message = cat("the command ended, but its artifacts could not be stored: ",
                          contracts::name_full_disk(collected.error()).message);
    log_error("artifacts could not be stored",
              {{"run", assignment_.run_uid}, {"error", collected.error().describe()}});
  }
  if (leaving()) return;
  PADDOCK_CRASH_POINT("artifacts-sent");
  finish(std::move(outcome));
}

// The command may still run: its environment must not be pruned under it.
void RunLife::lease_environment_again() {
  if (record_.environment.empty()) return;
  auto lease = runtimes::lease_again(ports_.config.environments.dir, record_.environment,
                                     [&clock = ports_.clock] { return clock.wall(); });
  if (lease) {
    environment_lease_.emplace(std::move(*lease));
  } else {
    log_warn("a running command's environment could not be kept",
             {{"run", assignment_.run_uid}, {"error", lease.error().describe()}});
  }
}

// The last moment of the hold: they are given back right after.
void RunLife::account(contracts::RunOutcome& outcome) const {
  if (record_.accelerators.empty() || !outcome.result) return;
  const Millis held = held_for(record_.held, {ports_.clock.mono().ms, this_boot()},
                               Millis(outcome.result->duration_ms));
  outcome.result->usage.accelerator_ms =
      held.count() * static_cast<int64_t>(record_.accelerators.size());
}

void RunLife::finish(contracts::RunOutcome outcome) {
  ending_ = true;
  environment_lease_.reset();
  account(outcome);
  accelerators_.reset();
  processors_.reset();
  if (stop_.kind() == StopKind::kForget) return;
  record_.stage = Stage::kEnded;
  record_.outcome = std::move(outcome);
  const Status stored = folder_.store(record_);
  recorded_ = stored.ok();
  if (!stored) {
    log_error("an outcome could not be recorded",
              {{"run", assignment_.run_uid}, {"error", stored.error().describe()}});
  }
  PADDOCK_CRASH_POINT("outcome-recorded");
  trees_.clear();
  log_info("run ended", {{"run", assignment_.run_uid}, {"reason", record_.outcome->reason}});
  publish();
}

void RunLife::publish() {
  const OutputState state = output_->state();
  contracts::RunReport report{.run_uid = assignment_.run_uid,
                              .attempt = assignment_.attempt,
                              .phase = phase_,
                              .message = {},
                              .started_at = {},
                              .timings_ms = record_.timings_ms,
                              .output = {},
                              .outcome = record_.outcome};
  if (state.started_ms) report.started_at = wire::Timestamp{WallTime{*state.started_ms}};
  if (const InputFile* input = input_.file()) {
    report.input_acked = input->lines();
    if (input->closed()) report.stdin_closed = true;
  }
  ports_.observer.observed(report, state.last_seq);
}

Status RunLife::erase() {
  TRY(freed_.with([&](bool&) { return folder_.erase(); }));
  ports_.intents.forget(os::base_name(folder_.path()));
  lost_lock_.reset();
  return {};
}

void RunLife::quote(const std::string& text) {
  if (const Status quoted = output_->quote(text); !quoted) {
    log_warn("an installer's words were lost", {{"error", quoted.error().describe()}});
  }
  publish();
}

void RunLife::say(const std::string& line) {
  if (const Status said = output_->say(line); !said) {
    log_warn("a line for a run's log was lost", {{"error", said.error().describe()}});
  }
  publish();
}

}  // namespace paddock::executor
