#include "controller/store/run_writes.h"

#include <algorithm>

#include "controller/runs/arrays.h"
#include "controller/runs/audit_events.h"
#include "controller/runs/measures.h"
#include "controller/store/tool_token_writes.h"

namespace paddock::store {

namespace {

Status append_all(WriteTxn& txn, const contracts::Run& run, runs::Events& events) {
  for (contracts::RunEvent& event : events) TRY(txn.append_event(run.metadata.uid, event));
  for (contracts::AuditEvent& event : runs::audit_events(run, events)) TRY(txn.append_audit(event));
  if (auto measures = runs::measures_of(run, events); !measures.empty())
    txn.measure(std::move(measures));
  txn.touch(run_topic(run.metadata.uid));
  return {};
}

// Then the object says something else too.
bool tells_phase(const runs::Events& events) {
  return std::ranges::any_of(
      events, [](const contracts::RunEvent& each) { return each.type == contracts::kEventPhase; });
}

// An agent that is placed again was given its input in an attempt that is over.
bool begins_anew(const contracts::Run& run, const runs::Events& events) {
  return run.spec.type == contracts::RunType::kAgent && run.status.attempt > 1 &&
         run.status.phase == contracts::RunPhase::kScheduled && tells_phase(events);
}

// Revokes tool tokens: all of a run that has ended, and those of its environment if another attempt
// follows.
Status end_tool_tokens(WriteTxn& txn, const contracts::Run& run, WallTime now) {
  const bool over = contracts::is_terminal(run.status.phase);
  return revoke_tool_tokens(
      txn, run.metadata.uid, contracts::RevokeReason::kChildExit, now,
      [over](const contracts::ToolToken& token) { return over || token.status.attempt > 0; });
}

// So that the array's counts outlive it. An array that is over needs no more of them.
Status count_in_array(WriteTxn& txn, const contracts::Run& element) {
  ASSIGN_OR_RETURN(std::optional<contracts::Run> array,
                   txn.find_readable<contracts::Run>(
                       {element.metadata.name_space, element.status.element->array}));
  if (!array || !runs::is_element_of(element, *array) ||
      contracts::is_terminal(array->status.phase))
    return {};
  TRY(runs::count_ends(*array, {runs::end_of(element)}));
  return txn.update(*array);
}

}  // namespace

Status create_run(WriteTxn& txn, contracts::Run& run, runs::Events events) {
  TRY(txn.create(run));
  TRY(append_all(txn, run, events));
  txn.touch(kSchedulerTopic);
  return {};
}

bool holds_nothing(const contracts::Run& run) {
  const bool has_elements = run.status.array && run.status.array->created > 0;
  return contracts::is_terminal(run.status.phase) && run.metadata.finalizers.empty() &&
         !has_elements;
}

Status erase_run(WriteTxn& txn, const contracts::Run& run) {
  if (run.status.element) TRY(count_in_array(txn, run));
  return txn.erase<contracts::Run>({run.metadata.name_space, run.metadata.name});
}

Status save_run(WriteTxn& txn, contracts::Run& run, runs::Events events) {
  const std::string before = run.metadata.resource_version;
  using Write = WriteTxn::Write;
  TRY(txn.update(run, tells_phase(events) ? Write::kAlways : Write::kIfChanged));
  if (run.metadata.resource_version == before && events.empty()) return {};
  const bool over = contracts::is_terminal(run.status.phase) || run.status.reason == runs::kRetry;
  if (over && !events.empty()) TRY(end_tool_tokens(txn, run, WallTime{events.back().time_ms}));
  if (run.status.tool_bundle && contracts::is_terminal(run.status.phase))
    TRY(txn.drop_tool_bundle(run.metadata.uid));
  if (contracts::is_terminal(run.status.phase)) TRY(txn.drop_sent_blobs(run.metadata.uid));
  if (begins_anew(run, events)) TRY(txn.drop_inputs_before(run.metadata.uid, run.status.attempt));
  TRY(append_all(txn, run, events));
  if (!run.status.node_name.empty()) txn.touch(node_topic(run.status.node_name));
  if (over || contracts::is_array(run.spec)) txn.touch(kSchedulerTopic);
  if (run.metadata.deletion_timestamp && holds_nothing(run)) return erase_run(txn, run);
  return {};
}

}  // namespace paddock::store
