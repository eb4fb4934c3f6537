#include "controller/api/objects/kinds.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "controller/api/objects/spec_changes.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::api {
namespace {

using contracts::Grant;
using contracts::Node;
using contracts::Run;
using contracts::Sandbox;
using contracts::ToolToken;
using contracts::Volume;
using contracts::Workspace;
using wire::Value;

k8s::Labels common_fields(const contracts::ObjectMeta& meta) {
  return {{"metadata.name", meta.name}, {"metadata.namespace", meta.name_space}};
}

// The controller's own words; nobody else writes them.
bool is_own_condition(const contracts::Condition& condition) {
  constexpr std::array<std::string_view, 4> kOwn = {"Scheduled", "Complete", "Failed", "Finished"};
  return std::ranges::find(kOwn, condition.type) != kOwn.end();
}

// What of a run's status is not an administrator's to write.
Value controlled_status(Run run) {
  std::erase_if(run.status.conditions,
                [](const auto& condition) { return !is_own_condition(condition); });
  return wire::encode(run).find("status") == nullptr ? Value() : *wire::encode(run).find("status");
}

// What `kubectl wait --for=condition=Ready` reads of a node: it holds a lease and can begin runs.
contracts::Condition ready_condition(const contracts::NodeStatus& status) {
  if (!status.ready)
    return {
        "Ready", "False", status.reason.empty() ? "NO_LEASE" : status.reason, status.message, {}};
  if (const contracts::Condition* fault = contracts::unfit(status))
    return {
        "Ready", "False", fault->reason.empty() ? fault->type : fault->reason, fault->message, {}};
  return {"Ready", "True", "LEASE_HELD", "it holds a lease and takes runs", {}};
}

// And of a session: commands can be run in it.
contracts::Condition ready_condition(const contracts::SessionStatus& status) {
  using contracts::SandboxPhase;
  if (status.phase == SandboxPhase::kReady)
    return {"Ready", "True", "OPEN", "commands can be run in it", status.ready_at};
  if (status.phase == SandboxPhase::kPending)
    return {"Ready", "False", "PENDING", "its node has not made it yet; its first use does", {}};
  return {"Ready", "False", status.reason.empty() ? "ENDED" : status.reason, status.message,
          status.ended_at};
}

Status no_status(const char* kind) {
  return immutable({{"status", cat("the status of a ", kind, " is written by the server alone")}});
}

}  // namespace

k8s::Labels selectable_fields(const Run& run) {
  k8s::Labels fields = common_fields(run.metadata);
  fields["status.phase"] = wire::enum_name(run.status.phase);
  fields["status.nodeName"] = run.status.node_name;
  fields["spec.workspace"] = run.spec.workspace;
  return fields;
}

k8s::Labels selectable_fields(const Workspace& workspace) {
  return common_fields(workspace.metadata);
}
k8s::Labels selectable_fields(const Volume& volume) { return common_fields(volume.metadata); }
k8s::Labels selectable_fields(const Node& node) { return common_fields(node.metadata); }
k8s::Labels selectable_fields(const Grant& grant) { return common_fields(grant.metadata); }
k8s::Labels selectable_fields(const Sandbox& session) {
  k8s::Labels fields = common_fields(session.metadata);
  fields["status.phase"] = wire::enum_name(session.status.phase);
  fields["status.nodeName"] = session.status.node_name;
  return fields;
}
k8s::Labels selectable_fields(const ToolToken& token) {
  k8s::Labels fields = common_fields(token.metadata);
  fields["spec.run"] = token.spec.run;
  return fields;
}

void complete(Services& services, Node& node) {
  if (const auto seen = services.leases.last_seen(node.metadata.name))
    node.status.last_seen = wire::Timestamp{*seen};
  std::erase_if(node.status.conditions, [](const auto& each) { return each.type == "Ready"; });
  node.status.conditions.push_back(ready_condition(node.status));
}

void complete(Services&, Sandbox& session) {
  session.status.conditions = {ready_condition(session.status)};
}

// A run is what was admitted: only its labels and annotations change, and it can be cancelled.
Status check_update(Services& services, const Run& live, Run& next) {
  next.spec = admission::with_defaults(std::move(next.spec), services.profiles);
  const bool cancel = next.spec.cancel_requested || live.spec.cancel_requested;
  next.spec.cancel_requested = live.spec.cancel_requested;
  TRY(immutable(spec_changes(live, next,
                             "a run's spec cannot change after its creation; create another run")));
  next.spec.cancel_requested = cancel;
  return {};
}

Status check_update(Services&, const Workspace& live, Workspace& next) {
  if (spec_differs(live, next)) ++next.metadata.generation;
  return {};
}

// A volume is what was published: only its labels and annotations change.
Status check_update(Services&, const Volume&, Volume&) { return {}; }

// What a credential is good for is decided when it is made.
Status check_update(Services&, const ToolToken& live, ToolToken& next) {
  return immutable(spec_changes(live, next, "a tool token cannot change; create another one"));
}

// The policy holds for the session's whole life, and so does all else.
Status check_update(Services&, const Sandbox& live, Sandbox& next) {
  next.spec = contracts::with_session_defaults(std::move(next.spec));
  return immutable(spec_changes(live, next, "a session's policy is fixed; create another session"));
}

// Uncordoning ends a drain, as `paddock uncordon` does; a node cannot be emptied and filled at
// once.
Status check_update(Services&, const Node& live, Node& next) {
  if (live.spec.unschedulable && !next.spec.unschedulable) next.spec.drain.reset();
  if (next.spec.drain && !next.spec.unschedulable)
    return immutable({{"spec.unschedulable", "must be true while the node is being drained"}});
  if (spec_differs(live, next)) ++next.metadata.generation;
  return {};
}

Status check_status_update(const Run& live, const Run& next) {
  if (controlled_status(live) == controlled_status(next)) return {};
  return immutable(
      {{"status", "only conditions that the controller does not set itself can be written"}});
}
Status check_status_update(const Workspace&, const Workspace&) { return no_status("workspace"); }
Status check_status_update(const Volume&, const Volume&) { return no_status("volume"); }
Status check_status_update(const Node&, const Node&) { return no_status("node"); }
Status check_status_update(const Sandbox&, const Sandbox&) { return no_status("sandbox"); }
Status check_status_update(const contracts::Secret&, const contracts::Secret&) {
  return no_status("secret");
}
Status check_status_update(const Grant&, const Grant&) { return no_status("grant"); }
Status check_status_update(const ToolToken&, const ToolToken&) { return no_status("tool token"); }

Status save_update(store::WriteTxn& txn, Run& next, WallTime now) {
  ASSIGN_OR_RETURN(const Run live, txn.get<Run>({next.metadata.name_space, next.metadata.name}));
  runs::Events events;
  if (next.spec.cancel_requested && !live.spec.cancel_requested) {
    next.spec.cancel_requested = false;
    events = runs::request_cancel(next, now);
  }
  return store::save_run(txn, next, std::move(events));
}

Status save_update(store::WriteTxn& txn, Workspace& next, WallTime) { return txn.update(next); }
Status save_update(store::WriteTxn& txn, Volume& next, WallTime) { return txn.update(next); }
Status save_update(store::WriteTxn& txn, ToolToken& next, WallTime) { return txn.update(next); }
Status save_update(store::WriteTxn& txn, Sandbox& next, WallTime) { return txn.update(next); }

Status save_update(store::WriteTxn& txn, Node& next, WallTime) {
  txn.touch(store::kSchedulerTopic);
  txn.touch(store::node_topic(next.metadata.name));
  return txn.update(next);
}

}  // namespace paddock::api
