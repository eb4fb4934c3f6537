#include "controller/api/handlers/runs/plan.h"

#include "common/contracts/node.h"
#include "common/contracts/run_plan.h"
#include "controller/api/handlers/runs/expected_files.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/handlers/runs/runs.h"
#include "controller/api/objects/creates.h"
#include "controller/api/server/documents.h"
#include "controller/reconciler/reconciler.h"

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
    plan.groups.push_back({group.nodes, group.reason, group.remedy, group.too_small});
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

Result<Response> plan_run(Call& call) {
  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(const auto files, take_expected_files(call.body));
  ASSIGN_OR_RETURN(const CreateRequest create, read_create(call));
  ASSIGN_OR_RETURN(auto run, new_object<contracts::Run>(call, create, call.body, warnings));
  TRY(KindTraits<contracts::Run>::check_maker(call.principal, run));
  TRY(admit_planned(call.services, run, files.get()));
  TRY(KindTraits<contracts::Run>::reserve_queue(call.services, run));
  ASSIGN_OR_RETURN(const scheduler::Preview preview, call.services.reconciler.preview(run));
  contracts::RunPlan plan = plan_of(preview);
  plan.policy = run.status.policy;
  if (run.spec.type == contracts::RunType::kCompute)
    plan.artifact_types = call.services.compute_types;
  TRY(add_enforcement(call, plan));
  Response response = object_response(plan);
  add_warnings(response, warnings);
  return response;
}

}  // namespace paddock::api
