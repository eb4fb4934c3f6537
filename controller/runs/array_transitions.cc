#include "controller/runs/array_transitions.h"

#include "common/base/text.h"
#include "controller/runs/conditions.h"
#include "controller/runs/phase_table.h"
#include "controller/runs/stream_events.h"

namespace paddock::runs {

using contracts::Run;
using contracts::RunPhase;

namespace {

const char* parts(const Run& array) {
  return contracts::is_gang(array.spec) ? "members" : "elements";
}

// Says what the array's first element waits for.
std::string wait_text(const Run& array, const Run& element) {
  return cat(contracts::is_gang(array.spec) ? "member " : "element ", element.metadata.name, ": ",
             element.status.message);
}

}  // namespace

Events start_array(Run& array, WallTime now) {
  if (!apply(array, Fact::kElementPlaced)) return {};
  contracts::RunStatus& status = array.status;
  status.started_at = wire::Timestamp{now};
  if (stop_of(array) == ArrayStop::kNone) {
    status.reason.clear();
    status.message.clear();
  }
  const char* who =
      contracts::is_gang(array.spec) ? "each member has a node" : "the first element has a node";
  set_condition(status, {"Scheduled", "True", Reason("BOUND"), who}, now);
  return {phase_event(array, now)};
}

Events gang_waits_again(Run& gang, const Run& first, WallTime now) {
  if (!apply(gang, Fact::kRetried)) return {};
  contracts::RunStatus& status = gang.status;
  status.started_at.reset();
  status.reason = kRetry;
  status.message = wait_text(gang, first);
  set_condition(status, {"Scheduled", "False", status.reason, status.message}, now);
  return {phase_event(gang, now)};
}

Events end_array(Run& array, const ArrayEnd& end, WallTime now) {
  // An array none of whose elements was placed can end as well.
  if (array.status.phase == RunPhase::kPending && !apply(array, Fact::kElementPlaced))
    panic("an array that waits can always begin");
  const auto fact = fact_of_outcome(end.phase);
  if (!fact || !apply(array, *fact)) panic("an array that runs can end in any way");
  array.status.reason = end.reason;
  array.status.message = end.message;
  return conclude(array, now);
}

Events explain_array(Run& array, const Run& element, WallTime now) {
  contracts::RunStatus& status = array.status;
  const std::string message = wait_text(array, element);
  const bool known = status.reason == element.status.reason && status.message == message;
  if (status.phase != RunPhase::kPending || stop_of(array) != ArrayStop::kNone || known ||
      element.status.message.empty())
    return {};
  status.reason = element.status.reason;
  status.message = message;
  set_condition(status, {"Scheduled", "False", status.reason, message}, now);
  return {phase_event(array, now)};
}

Events cancel_array(Run& array, WallTime now) {
  array.status.reason = kCancelRequested;
  array.status.message = cat("canceled by request; its ", parts(array), " are being ended");
  return {phase_event(array, now)};
}

Events kill_array(Run& array, WallTime now) {
  const bool over = contracts::is_terminal(array.status.phase);
  if (over || !array.spec.cancel_requested || array.status.kill_now) return {};
  array.status.kill_now = true;
  array.status.message =
      cat("its ", parts(array), " are being killed, without what is left of their grace");
  return {phase_event(array, now)};
}

Events expire_array(Run& array, const std::string& message, WallTime now) {
  contracts::RunStatus& status = array.status;
  if (contracts::is_terminal(status.phase) || status.eviction || array.spec.cancel_requested)
    return {};
  status.eviction = contracts::Eviction{kDeadlineExceeded, message, wire::Timestamp{now}};
  status.reason = kDeadlineExceeded;
  status.message = cat(message, "; its ", parts(array), " are being ended");
  return {phase_event(array, now)};
}

}  // namespace paddock::runs
