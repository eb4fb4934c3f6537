#include "controller/runs/transitions.h"

#include <algorithm>
#include <utility>

#include "common/contracts/node.h"
#include "controller/runs/array_transitions.h"
#include "controller/runs/conditions.h"
#include "controller/runs/gang_members.h"
#include "controller/runs/kept_off.h"
#include "controller/runs/phase_table.h"
#include "controller/runs/pool_words.h"
#include "controller/runs/retry.h"
#include "controller/runs/stream_events.h"

namespace paddock::runs {

using contracts::Run;
using contracts::RunPhase;

namespace {

using P = RunPhase;
using F = Fact;

Status check_current(const Run& run, int64_t attempt) {
  if (contracts::is_terminal(run.status.phase)) {
    return Error{Code::kFailedPrecondition, "RUN_FINISHED", "the run has ended already"};
  }
  if (attempt != run.status.attempt || run.status.phase == P::kPending) {
    return Error{Code::kConflict, "STALE_ATTEMPT",
                 cat("attempt ", attempt, " is over; the current one is ", run.status.attempt)};
  }
  return {};
}

// Keeps what was sent while the run lived of files that the node's disk cannot read any more.
void keep_unreadable(contracts::RunStatus& status,
                     const std::vector<contracts::Artifact>& earlier) {
  for (const contracts::Artifact& each : earlier) {
    const auto left_out = std::ranges::find(status.left_out, each.path, &contracts::LeftOut::path);
    if (left_out == status.left_out.end()) continue;
    left_out->rule += "; what was sent of it before is kept";
    status.artifacts.push_back(each);
  }
}

// The results are those of the last attempt that started, so an evicted attempt's stay if none
// comes after it. Artifacts that came while the run lived stay if its node has lost the rest.
void keep_results(contracts::RunStatus& status, const contracts::RunOutcome& outcome) {
  const bool lost = !outcome.result || is_one_of(outcome.reason, {"ARTIFACTS_FAILED"});
  if (lost && !status.artifacts.empty()) return;
  const auto earlier = std::exchange(status.artifacts, outcome.artifacts);
  status.left_out = outcome.left_out;
  if (outcome.reason == contracts::kDiskFails) keep_unreadable(status, earlier);
}

// The run waits for its next attempt.
Events wait_again(Run& run, const std::string& why, WallTime now) {
  if (!apply(run, F::kRetried)) panic("only a placed run can be tried again");
  contracts::RunStatus& status = run.status;
  const int64_t attempt = counted_attempts(run);
  const Millis wait = retry_delay(*run.spec.retry, attempt);
  leave_node(status);
  keep_off_none(run);
  status.retry_at = wire::Timestamp{now + wait};
  status.reason = kRetry;
  status.message = cat("attempt ", attempt, " of ", run.spec.retry->max_attempts, " is over: ", why,
                       "; the next one is made after ", format_duration(wait));
  set_condition(status, {"Scheduled", "False", status.reason, status.message}, now);
  return {phase_event(run, now)};
}

// For a run that its node could not begin: it is placed elsewhere at once, and spec.retry does not
// count this.
Events place_elsewhere(Run& run, const std::string& why, WallTime now) {
  contracts::RunStatus& status = run.status;
  const std::string node = status.node_name;
  if (!apply(run, F::kRetried)) panic("only a placed run can be refused");
  leave_node(status);
  status.refusals += 1;
  status.reason = kRefused;
  status.message = cat("node ", node, " did not begin it: ", why,
                       "; it is placed again, and spec.retry does not count this");
  set_condition(status, {"Scheduled", "False", status.reason, status.message}, now);
  return {phase_event(run, now)};
}

// Whether it is to end, so that no node is looked for any more.
bool is_unwanted(const Run& run) {
  const auto& eviction = run.status.eviction;
  return run.spec.cancel_requested || (eviction && ends_for_good(*eviction));
}

// The outcome that the node reported, with our reason and message where we had asked the node to
// end the run.
contracts::RunOutcome judged(const Run& run, const contracts::RunOutcome& outcome) {
  const auto& eviction = run.status.eviction;
  if (outcome.phase != P::kCanceled || !eviction || run.spec.cancel_requested) return outcome;
  contracts::RunOutcome ended = outcome;
  if (eviction->reason != kGangEnded) ended.phase = P::kFailed;
  ended.reason = eviction->reason;
  ended.message = eviction->message;
  return ended;
}

std::optional<Fact> fact_of_progress(RunPhase phase) {
  if (phase == P::kPreparing) return F::kPreparing;
  if (phase == P::kRunning) return F::kStarted;
  return std::nullopt;
}

}  // namespace

Events admit(Run& run, WallTime now) {
  contracts::RunStatus decided;  // by admission; nothing else that a client sent stays
  decided.workspace_root = std::move(run.status.workspace_root);
  decided.volumes = std::move(run.status.volumes);
  decided.policy = std::move(run.status.policy);
  decided.environment = std::move(run.status.environment);
  decided.created_by = std::move(run.status.created_by);
  decided.grants = std::move(run.status.grants);
  decided.deadline_at = run.status.deadline_at;  // of its grants
  decided.preview_url = std::move(run.status.preview_url);
  decided.tool_bundle = std::move(run.status.tool_bundle);
  decided.element = std::move(run.status.element);
  if (contracts::is_array(run.spec))
    decided.array.emplace().pending = contracts::element_count(run.spec);
  run.status = std::move(decided);
  run.spec.cancel_requested = false;
  run.metadata.generation = 1;
  if (!run.metadata.creation_timestamp) run.metadata.creation_timestamp = wire::Timestamp{now};
  if (run.spec.deadline) {
    const wire::Timestamp own{run.metadata.creation_timestamp->value + run.spec.deadline->value};
    if (!run.status.deadline_at || own < *run.status.deadline_at) run.status.deadline_at = own;
  }
  set_condition(run.status, {"Scheduled", "False", kWaiting, ""}, now);
  return {phase_event(run, now)};
}

Result<Events> bind(Run& run, const std::string& node, WallTime now) {
  if (!apply(run, F::kBound)) {
    return Error{Code::kFailedPrecondition, "RUN_NOT_PENDING", "only a pending run can be placed"};
  }
  contracts::RunStatus& status = run.status;
  status.node_name = node;
  status.attempt += 1;
  status.retry_at.reset();
  status.pending_tool_uses.clear();  // which a run of an earlier release may have still
  status.stdin_closed.reset();
  status.scheduled_at = wire::Timestamp{now};
  status.reason.clear();
  status.message.clear();
  forget_pools(status);
  if (run.metadata.creation_timestamp) {
    status.timings_ms["queue"] =
        std::max<int64_t>(0, (now - run.metadata.creation_timestamp->value).count());
  }
  set_condition(status, {"Scheduled", "True", Reason("BOUND"), cat("to node ", node)}, now);
  Events events = {phase_event(run, now)};
  // Shown for as long as the run waits for its node. No event is made of it, since most runs do not
  // wait long.
  status.reason = kWaitingForNode;
  status.message =
      cat("node ", node, " has not begun it yet; it was given it at ", format_time(now));
  return events;
}

bool explains_pending(const Run& run, Reason reason, const std::string& message) {
  const contracts::RunStatus& status = run.status;
  const bool known = status.reason == reason && status.message == with_pool_words(status, message);
  return status.phase == P::kPending && !known;
}

Events explain_pending(Run& run, Reason reason, const std::string& message, WallTime now) {
  if (!explains_pending(run, reason, message)) return {};
  contracts::RunStatus& status = run.status;
  std::string told = with_pool_words(status, message);
  status.reason = reason;
  status.message = std::move(told);
  set_condition(status, {"Scheduled", "False", status.reason, message}, now);
  return {phase_event(run, now)};
}

Result<Events> observe(Run& run, const contracts::RunReport& report, WallTime now) {
  TRY(check_current(run, report.attempt));
  contracts::RunStatus& status = run.status;
  if (report.started_at && !status.started_at) status.started_at = report.started_at;
  for (const auto& [phase, spent] : report.timings_ms) status.timings_ms[phase] = spent;
  const std::optional<Fact> fact = fact_of_progress(report.phase);
  if (!fact || !apply(run, *fact)) return Events{};
  status.reason.clear();
  status.message = report.message;
  return Events{phase_event(run, now)};
}

Result<Events> finish(Run& run, int64_t attempt, const contracts::RunOutcome& said, WallTime now) {
  TRY(check_current(run, attempt));
  if (waits_for_gang(run) && fact_of_outcome(said.phase)) {
    keep_results(run.status, said);
    return join_gang_again(run, now);
  }
  contracts::RunOutcome outcome = said;
  if (was_refused(run, outcome)) {
    if (outcome.disk_needed) run.status.disk_needed = outcome.disk_needed;
    if (!is_unwanted(run)) return place_elsewhere(run, outcome.message, now);
    outcome.phase = P::kCanceled;
  }
  const std::optional<Fact> fact = fact_of_outcome(outcome.phase);
  if (!fact) {
    return invalid_argument("OUTCOME_NOT_TERMINAL", "an outcome is Succeeded, Failed or Canceled",
                            "outcome.phase");
  }
  if (const auto cause = retry_cause(run, outcome); cause && may_retry(run, *cause)) {
    keep_results(run.status, outcome);
    return wait_again(run, judged(run, outcome).message, now);
  }
  const contracts::RunOutcome ended = judged(run, outcome);
  if (!apply(run, *fact_of_outcome(ended.phase))) panic("a placed run cannot refuse an outcome");
  contracts::RunStatus& status = run.status;
  status.reason = ended.reason;
  status.message = ended.message;
  status.result = ended.result;
  keep_results(status, ended);
  return conclude(run, now);
}

Events request_cancel(Run& run, WallTime now) {
  if (contracts::is_terminal(run.status.phase) || run.spec.cancel_requested) return {};
  run.spec.cancel_requested = true;
  run.metadata.generation += 1;
  if (contracts::is_array(run.spec)) return cancel_array(run, now);
  if (!apply(run, F::kCancelRequested)) panic("an active run can always be asked to end");
  run.status.reason = kCancelRequested;
  run.status.message = "canceled by request";
  if (contracts::is_terminal(run.status.phase)) return conclude(run, now);
  run.status.message = "waiting for the node to end it";
  return {phase_event(run, now)};
}

Events release(Run& run, const std::string& message, WallTime now) {
  if (run.status.phase != P::kScheduled || is_unwanted(run)) return {};
  if (waits_for_gang(run)) return join_gang_again(run, now);
  return place_elsewhere(run, message, now);
}

Events lose_node(Run& run, const std::string& message, WallTime now) {
  if (contracts::is_array(run.spec) || !next_phase(run.status.phase, F::kNodeLost)) return {};
  if (waits_for_gang(run)) return join_gang_again(run, now);
  if (may_retry(run, contracts::RetryCause::kNodeLost)) return wait_again(run, message, now);
  if (!apply(run, F::kNodeLost)) panic("only a placed run can lose its node");
  run.status.reason = contracts::kNodeLost;
  run.status.message = message;
  return conclude(run, now);
}

Events evict(Run& run, contracts::Eviction eviction, WallTime now) {
  contracts::RunStatus& status = run.status;
  if (contracts::is_array(run.spec) || status.eviction || run.spec.cancel_requested ||
      !apply(run, F::kEvicted))
    return {};
  status.reason = eviction.reason;
  status.message = cat(eviction.message, "; waiting for the node to end it");
  status.eviction = std::move(eviction);
  status.eviction->at = wire::Timestamp{now};
  return {phase_event(run, now)};
}

Events kill_now(Run& run, WallTime now) {
  contracts::RunStatus& status = run.status;
  if (contracts::is_array(run.spec)) return kill_array(run, now);
  const bool ending = status.eviction || run.spec.cancel_requested;
  const bool placed = status.phase != P::kPending && !contracts::is_terminal(status.phase);
  if (!ending || !placed || status.kill_now) return {};
  status.kill_now = true;
  status.message = "waiting for the node to end it, without what is left of its grace";
  return {phase_event(run, now)};
}

std::optional<WallTime> killed_by_deletion(const Run& run) {
  const contracts::ObjectMeta& meta = run.metadata;
  const bool over = contracts::is_terminal(run.status.phase) || run.status.kill_now;
  if (!meta.deletion_timestamp || !run.spec.cancel_requested || over) return std::nullopt;
  const std::chrono::seconds left(meta.deletion_grace_period_seconds.value_or(0));
  if (left >= run.spec.termination_grace.value_or(wire::Wait{}).value) return std::nullopt;
  return meta.deletion_timestamp->value + left;
}

namespace {

// The message about the run's own deadline, or about an earlier one of its grant.
std::string deadline_text(const Run& run) {
  const std::optional<wire::Timestamp>& at = run.status.deadline_at;
  const bool own =
      run.spec.deadline && run.metadata.creation_timestamp &&
      (!at || at->value == run.metadata.creation_timestamp->value + run.spec.deadline->value);
  if (own || !at)
    return cat("the run had not ended ",
               format_duration(run.spec.deadline.value_or(wire::Duration{}).value),
               " after its creation");
  const auto& element = run.status.element;
  const char* whose = !element ? "grant" : element->members ? "gang" : "array";
  return cat("the run had not ended at ", format_time(at->value), ", the deadline of its ", whose);
}

}  // namespace

Events abandon(Run& run, WallTime now) {
  if (contracts::is_array(run.spec)) return kill_array(run, now);
  if (run.status.phase == P::kPending || !apply(run, F::kCanceled)) return {};
  run.status.reason = kForceDeleted;
  run.status.message = "deleted by force: its node was not waited for";
  return conclude(run, now);
}

Events expire(Run& run, WallTime now) {
  const std::string message = deadline_text(run);
  if (contracts::is_array(run.spec)) return expire_array(run, message, now);
  if (run.status.phase != P::kPending) return evict(run, {kDeadlineExceeded, message}, now);
  const std::string waited_for = run.status.message;
  if (!apply(run, F::kExpired)) return {};
  run.status.reason = kDeadlineExceeded;
  run.status.message = waited_for.empty() ? message : cat(message, "; it waited: ", waited_for);
  return conclude(run, now);
}

}  // namespace paddock::runs
