#include "cli/client/run_plan.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/api_paths.h"

namespace paddock::cli {
namespace {

// More than these are not sent along: then nothing is asked that the files would answer.
constexpr size_t kMostPlannedFiles = 20'000;

}  // namespace

Result<wire::Value> ask_plan(client::ControllerClient& client, const contracts::Run& run,
                             const contracts::Tree& tree) {
  wire::Value request = wire::encode(run);
  if (tree.entries.size() <= kMostPlannedFiles) request.set("tree", wire::encode(tree));
  return client.send("POST", contracts::paths::collection(run.metadata.name_space, "plan"),
                     request);
}

Status check_some_node_is_large_enough(const contracts::RunPlan& plan) {
  const bool hopeless = !plan.placed && !plan.groups.empty() &&
                        std::ranges::all_of(plan.groups, &contracts::PlanGroup::too_small);
  if (!hopeless) return {};
  std::vector<std::string> reasons;
  std::vector<std::string> remedies;
  for (const contracts::PlanGroup& group : plan.groups) {
    reasons.push_back(cat(group.nodes, " ", group.reason));
    remedies.push_back(group.remedy);
  }
  return Error{Code::kFailedPrecondition, "NO_NODE_LARGE_ENOUGH",
               cat("no node has as much as it asks for: ", join(reasons, ", "), "; ",
                   join(remedies, ", or "), "; --wait-for-node waits for one")};
}

}  // namespace paddock::cli
