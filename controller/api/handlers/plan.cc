#include "controller/api/handlers/plan.h"

#include "common/contracts/node.h"
#include "common/contracts/run_plan.h"
#include "controller/api/documents.h"
#include "controller/api/handlers/creates.h"
#include "controller/api/handlers/runs.h"

namespace paddock::api {
namespace {

contracts::RunPlan plan_of(const scheduler::Preview& preview) {
  contracts::RunPlan plan;
  plan.placed = !preview.node.empty();
  plan.node = preview.node;
  plan.message = preview.message;
  plan.over_quota = preview.over_quota;
  plan.ahead = preview.ahead;
  for (const scheduler::NodeGroup& group : preview.groups)
    plan.groups.push_back({group.nodes, group.reason, group.remedy});
  return plan;
}

Status add_enforcement(Call& call, contracts::RunPlan& plan) {
  if (plan.node.empty()) return {};
  return call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto node, txn.find<contracts::Node>({"", plan.node}));
    if (!node) return {};
    for (const contracts::Capability& each : node->status.capabilities)
      plan.enforced.push_back({each.name, each.available, each.mechanism});
    return {};
  });
}

}  // namespace

// A run without a workspace is planned as if it had one: its files are not sent yet.
Result<Response> plan_run(Call& call) {
  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(const CreateRequest create, read_create(call));
  ASSIGN_OR_RETURN(auto run, new_object<contracts::Run>(call, create, call.body, warnings));
  const bool later = run.spec.workspace.empty() && run.spec.type != contracts::RunType::kCode;
  if (later) {
    run.status.policy = admission::policy_of(run.spec, call.services.profiles);
  } else {
    TRY(admit_run(call.services, run, admission::wanted_media(run.spec)));
  }
  TRY(call.services.reconciler.check_bounds(run));
  TRY(take_room(call.services, run));
  ASSIGN_OR_RETURN(const scheduler::Preview preview, call.services.reconciler.preview(run));
  contracts::RunPlan plan = plan_of(preview);
  plan.policy = run.status.policy;
  TRY(add_enforcement(call, plan));
  Response response = object_response(plan);
  add_warnings(response, warnings);
  return response;
}

}  // namespace paddock::api
