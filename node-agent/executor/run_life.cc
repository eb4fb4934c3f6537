#include "node-agent/executor/run_life.h"

#include <utility>

#include "common/base/crash_point.h"
#include "common/base/log.h"
#include "common/contracts/node.h"
#include "common/os/file.h"
#include "node-agent/executor/disk_probe.h"
#include "node-agent/executor/lost_sandbox.h"
#include "node-agent/executor/outcome.h"

namespace paddock::executor {

using contracts::RunPhase;

namespace {

constexpr int kMostAgain = 3;  // launchers, of a run whose lock another one has

}  // namespace

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
  return std::unique_ptr<RunLife>(new RunLife(ports, std::move(folder), assignment, RunRecord{},
                                              std::move(output), ports.clock.mono()));
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
  // A run that has begun is taken up again even on a full disk.
  const bool to_begin = record.stage == Stage::kAccepted;
  ASSIGN_OR_RETURN(std::unique_ptr<OutputLog> output,
                   OutputLog::open(folder, ports.clock, to_begin));
  return std::unique_ptr<RunLife>(new RunLife(ports, std::move(folder), std::move(assignment),
                                              std::move(record), std::move(output), MonoTime{}));
}

RunLife::RunLife(const ExecutorPorts& ports, RunFolder folder, contracts::Assignment assignment,
                 RunRecord record, std::unique_ptr<OutputLog> output, MonoTime accepted)
    : ports_(ports),
      folder_(std::move(folder)),
      assignment_(std::move(assignment)),
      record_(std::move(record)),
      output_(std::move(output)),
      input_(folder_.input()),
      fetch_(ports_, assignment_.run_uid, stop_),
      log_(*output_, [this] { publish(); }),
      context_{ports_, folder_, assignment_, record_, stop_, fetch_, log_, accepted},
      steps_(context_),
      launch_(context_, *output_),
      disk_(context_, launch_),
      artifacts_(context_, steps_.workspace()) {
  recorded_ = record_.stage == Stage::kEnded;
  if (record_.stage == Stage::kLaunching) {
    const std::optional<int64_t> started = output_->state().started_ms;
    disk_.began(started);
    phase_ = started ? RunPhase::kRunning : RunPhase::kPreparing;
    steps_.take_again();
  }
  if (assignment_.desired == contracts::DesiredState::kCancel)
    stop_.raise(assignment_.kill_now.value_or(false) ? StopKind::kKill : StopKind::kCancel);
}

// The whole life, top to bottom. A recovered run enters at the step that was next.
void RunLife::run() {
  NextStep next = next_step(launch_.find());
  if (next == NextStep::kPrepare) {
    auto request = prepare();
    if (leaving()) return;
    if (!request) return finish(not_begun(request.error()));
    if (stop_.at_least(StopKind::kCancel)) return finish(outcome_of_error({}, true));
    const Status launched = launch(*request);
    if (launched) ordered_ = std::move(*request);
    if (!launched) {
      doubt_sandbox(ports_);
      return finish(outcome_of_error(launched.error(), false));
    }
    next = NextStep::kFollow;
  }
  if (next == NextStep::kFollow) {
    FollowEnd end = follow();
    for (int again = 0; again < kMostAgain && may_start_again(end); ++again) {
      if (!launch_.start_again(*ordered_)) break;
      end = follow();
    }
    if (end == FollowEnd::kDetached) return;
    next = end == FollowEnd::kResult ? NextStep::kCollect : NextStep::kLost;
    PADDOCK_CRASH_POINT("command-ended");
  }
  if (next == NextStep::kLost) {
    if (!output_->state().started_ms) doubt_sandbox(ports_);
    return finish(lost());
  }
  if (next == NextStep::kCollect) {
    // Artifacts are collected once the launcher has ended and the mounts are gone. Without
    // artifacts nobody has to wait for that.
    if (artifacts_.wanted()) reap_launcher(launch_.launcher());
    collect();
    if (!artifacts_.wanted()) reap_launcher(launch_.launcher());
    return;
  }
  publish();
}

Result<contracts::LaunchRequest> RunLife::prepare() {
  if (stop_.at_least(StopKind::kCancel)) return Error{};
  const contracts::NodeBounds& bounds = ports_.config.bounds;
  TRY(contracts::check_node_bounds(assignment_.policy, bounds));
  if (bounds.ceilings)
    TRY(contracts::check_grace(assignment_.spec.termination_grace, *bounds.ceilings));
  phase_ = RunPhase::kPreparing;
  publish();
  TRY(steps_.prepare());
  publish();
  return steps_.request();
}

contracts::RunOutcome RunLife::lost() const {
  if (!record_.beyond_disk.empty()) return outcome_of_disk(record_.beyond_disk, {});
  if (unreadable_) return outcome_of_unreadable(*unreadable_);
  const StopKind wish = stop_.kind();
  if (wish == StopKind::kCancel || wish == StopKind::kKill)
    return outcome_of_canceled_without_result();
  if (overdue_ && output_->state().started_ms) return outcome_of_overdue(assignment_.policy);
  return outcome_of_lost_launcher(output_->state().started_ms.has_value(),
                                  disk_fault(folder_.path()));
}

// What the system refused before a command was launched may be this host's fault or the run's:
// another host may show which.
contracts::RunOutcome RunLife::not_begun(const Error& why) const {
  contracts::RunOutcome out = outcome_of_error(why, stop_.at_least(StopKind::kCancel));
  if (out.phase == RunPhase::kFailed && why.reason == Reason("SYSTEM_ERROR")) out.refused = true;
  if (out.refused && fetch_.no_room_for() > 0)
    out.disk_needed = wire::Quantity{fetch_.no_room_for()};
  return out;
}

// Whether the launcher has started nothing, as another one had the run's lock.
bool RunLife::may_start_again(FollowEnd end) const {
  const StopKind wish = stop_.kind();
  const bool wanted = wish == StopKind::kNone || wish == StopKind::kDetach;
  return wanted && end == FollowEnd::kGone && came_second_ && ordered_;
}

Status RunLife::launch(const contracts::LaunchRequest& request) {
  if (is_agent()) TRY(input_.open());
  disk_.begins();
  return launch_.start(request);
}

// Follows the command, and beside it sends finished files; that ends when the command does.
FollowEnd RunLife::follow() {
  if (!ports_.parallel || !artifacts_.wanted()) return follow_command();
  FollowEnd end = FollowEnd::kGone;
  StopSignal over;
  ports_.parallel({[&] {
                     end = follow_command();
                     over.raise(StopKind::kCancel);
                   },
                   [&] { artifacts_.send_finished(over); }});
  return end;
}

FollowEnd RunLife::follow_command() {
  OutputState told{.last_seq = -1, .started_ms = {}, .result = {}};
  const Millis grace = assignment_.spec.termination_grace.value_or(wire::Wait{}).value;
  const FollowEnd end = follow_launcher(launch_.launcher(), launch_.files(), stop_,
                                        {grace, wall_time_of(assignment_.policy)}, ports_.clock,
                                        watch_, [&] { return hear(told); });
  launch_.has_ended();
  overdue_ = end == FollowEnd::kOverdue;
  came_second_ =
      (end == FollowEnd::kGone || overdue_) && reap_launcher(launch_.launcher()) == kFoundLockTaken;
  return end;
}

// Takes in what the launcher has written since, and announces it.
Heard RunLife::hear(OutputState& told) {
  const Status read = output_->advance();
  if (!read && !unreadable_) {
    unreadable_ = read.error();
    stop_.raise(StopKind::kCancel);
  }
  end_as_told();
  OutputState state = output_->state();
  if (state.started_ms) {
    phase_ = RunPhase::kRunning;
    ordered_.reset();
  }
  const bool news = (is_agent() && input_.take()) || state.last_seq != told.last_seq ||
                    state.started_ms != told.started_ms;
  if (news) publish();
  told = std::move(state);
  return heard_in(told);
}

void RunLife::end_for_disk(std::string why) {
  end_why_.with([&](std::string& now) { now = std::move(why); });
  ending_ = true;
  stop_.nudge();
}

// On the disk before it is killed: a later agent is to know why.
void RunLife::end_as_told() {
  std::string why = end_why_.with([](std::string& now) { return std::exchange(now, {}); });
  if (why.empty()) return;
  if (stop_.at_least(StopKind::kCancel)) return stop_.raise(StopKind::kKill);  // canceled it stays
  record_.beyond_disk = std::move(why);
  if (const Status stored = folder_.store(record_); !stored)
    log_warn("why a run is ended could not be recorded",
             {{"run", assignment_.run_uid}, {"error", stored.error().describe()}});
  stop_.raise(StopKind::kKill);
}

void RunLife::give_input(const std::vector<contracts::RunInput>& inputs) {
  input_.give(inputs);
  stop_.nudge();
}

void RunLife::collect() {
  const OutputState state = output_->state();
  const bool set_up = state.result->status != contracts::SandboxStatus::kInternalError;
  if (!set_up && !state.started_ms) {
    // Nothing of it was started: what the disk or the kernel refused the launcher may be nothing of
    // the run's.
    if (const auto fault = disk_fault(folder_.path())) return finish(not_begun(*fault));
    if (const auto fault = lost_sandbox(context_, *state.result)) return finish(not_begun(*fault));
    if (leaving()) return;  // whose fault it is will be found out by the next agent
  }
  contracts::RunOutcome outcome = steps_.judge().outcome_of(*state.result);
  if (unreadable_) outcome = outcome_of_unreadable(*unreadable_);
  if (!record_.beyond_disk.empty()) outcome = outcome_of_disk(record_.beyond_disk, outcome.result);
  record_.timings_ms["run"] = state.result->duration_ms;
  if (const Status collected = artifacts_.collect(outcome); !collected) {
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

// What the command held is given back once its outcome is recorded, and before anybody hears of the
// outcome.
void RunLife::finish(contracts::RunOutcome outcome) {
  ending_ = true;
  steps_.accelerators().account(outcome);
  const bool forgotten = stop_.kind() == StopKind::kForget;
  if (!forgotten) record(std::move(outcome));
  steps_.undo();
  if (!forgotten) publish();
}

void RunLife::record(contracts::RunOutcome outcome) {
  record_.stage = Stage::kEnded;
  record_.outcome = std::move(outcome);
  const Status stored = folder_.store(record_);
  recorded_ = stored.ok();
  if (!stored) {
    log_error("an outcome could not be recorded",
              {{"run", assignment_.run_uid}, {"error", stored.error().describe()}});
  }
  PADDOCK_CRASH_POINT("outcome-recorded");
  log_info("run ended", {{"run", assignment_.run_uid}, {"reason", record_.outcome->reason}});
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
  TRY(disk_.erase());
  ports_.intents.forget(os::base_name(folder_.path()));
  launch_.forget();
  return {};
}

}  // namespace paddock::executor
