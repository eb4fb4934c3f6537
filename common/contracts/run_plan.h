// What would happen to a run if it were created now: POST namespaces/{ns}/plan with a Run.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/run.h"

namespace paddock::contracts {

struct PlanGroup {
  int64_t nodes = 0;
  std::string reason;
  std::string remedy;
  bool too_small = false;
  static constexpr auto describe(auto&& visit) {
    return visit(field("nodes", &PlanGroup::nodes, "how many"),
                 field("reason", &PlanGroup::reason, "why they do not fit"),
                 field("remedy", &PlanGroup::remedy, "what would help"),
                 field("tooSmall", &PlanGroup::too_small,
                       "they would not fit with nothing else on them either"));
  }
};

// A capability of the sandbox on the node where the run would go.
struct PlanEnforcement {
  std::string capability;
  bool available = false;
  std::string mechanism;
  static constexpr auto describe(auto&& visit) {
    return visit(field("capability", &PlanEnforcement::capability, "memory, network, …"),
                 field("available", &PlanEnforcement::available, "the node has proven it"),
                 field("mechanism", &PlanEnforcement::mechanism, "how", {.omit_empty = true}));
  }
};

struct RunPlan {
  bool placed = false;  // it would start at once
  std::string node;
  std::string message;
  bool over_quota = false;
  int64_t ahead = 0;
  std::vector<PlanGroup> groups;
  std::vector<PlanEnforcement> enforced;
  std::vector<std::string> artifact_types;  // empty: all come back
  std::optional<SandboxPolicy> policy;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("placed", &RunPlan::placed, "whether it would be placed at once"),
        field("node", &RunPlan::node, "where", {.omit_empty = true}),
        field("message", &RunPlan::message, "why it would wait", {.omit_empty = true}),
        field("overQuota", &RunPlan::over_quota, "whether its namespace's quota is used up"),
        field("ahead", &RunPlan::ahead, "waiting runs of at least its priority"),
        field("groups", &RunPlan::groups, "nodes that do not fit, by reason", {.omit_empty = true}),
        field("enforced", &RunPlan::enforced, "what that node can enforce", {.omit_empty = true}),
        field("artifactTypes", &RunPlan::artifact_types,
              "endings of the artifacts that would come back; empty: all", {.omit_empty = true}),
        field("policy", &RunPlan::policy, "effective sandbox policy"));
  }
};

}  // namespace paddock::contracts
