#include "controller/sessions/placement.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/ceilings.h"

namespace paddock::sessions {
namespace {

using contracts::Node;

bool has_labels(const Node& node, const std::map<std::string, std::string>& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& pair) {
    const auto found = node.metadata.labels.find(pair.first);
    return found != node.metadata.labels.end() && found->second == pair.second;
  });
}

// A session never asks for devices, nor for accounts of its own, and for names of the network only
// if it says so.
bool proven(const Node& node, const contracts::SandboxPolicy& policy) {
  const bool network = policy.network && policy.network->enabled;
  return std::ranges::all_of(node.status.canaries, [&](const contracts::Canary& canary) {
    return canary.passed || canary.capability == "devices" || canary.capability == "accounts" ||
           (canary.capability == "allowDomains" && !network);
  });
}

bool keeps_others_away(const contracts::Taint& taint) { return taint.effect != "PreferNoSchedule"; }

// Why a node cannot take the session, and what would help. No words: it can.
struct Refusal {
  std::string what;
  std::string_view remedy;
};

constexpr std::string_view kDescribe = "what `paddock describe node NAME` says";

Refusal refusal_of_policy(const Wish& wish, const Node& node) {
  constexpr size_t kLongest = 200;
  Status allowed = contracts::check_node_bounds(wish.policy, contracts::bounds_of(node.status));
  if (allowed.ok() && node.status.ceilings)
    allowed = contracts::check_grace(wish.spec.termination_grace, *node.status.ceilings);
  if (allowed.ok()) return {};
  std::string what = allowed.error().message.substr(0, kLongest);
  what.resize(utf8_prefix(what));
  return {std::move(what), "ask for less, or raise a node's ceilings"};
}

Refusal refusal(const Wish& wish, const Node& node, int64_t sessions) {
  const contracts::NodeStatus& status = node.status;
  if (!status.ready) return {"not ready", "start or upgrade a node's agent"};
  if (contracts::disk_pressure(status) != nullptr)
    return {"with a full disk", "free space on a node's disk, or lower its cacheQuota"};
  if (contracts::host_fault(status) != nullptr) return {"with a faulty host", kDescribe};
  if (status.max_sessions == 0) return {"takes no sessions", "raise a node's sessions.maxSessions"};
  if (node.spec.unschedulable) return {"cordoned", "`paddock uncordon NAME`"};
  if (std::ranges::any_of(node.spec.taints, keeps_others_away))
    return {"tainted", "remove a node's spec.taints"};
  if (!has_labels(node, wish.spec.node_selector))
    return {"without the labels of nodeSelector", "another nodeSelector"};
  if (!proven(node, wish.policy))
    return {"a canary of its sandbox failed", "what `paddock doctor` says there"};
  if (sessions >= status.max_sessions)
    return {"full", "delete sessions there, or raise a node's sessions.maxSessions"};
  return refusal_of_policy(wish, node);
}

// Of some nodes. Their names stay with who may read nodes; a caller learns how many there are.
struct Refused {
  int64_t nodes = 0;
  std::string_view remedy;
};

Error no_node(const std::map<std::string, Refused>& refusals) {
  constexpr size_t kMostCauses = 6;
  std::vector<std::string> why;
  std::vector<std::string> remedies;
  for (const auto& [what, refused] : refusals) {
    if (why.size() == kMostCauses) {
      why.push_back(cat("and ", refusals.size() - kMostCauses, " causes more"));
      break;
    }
    why.push_back(cat(refused.nodes, " ", what));
    if (std::ranges::find(remedies, refused.remedy) == remedies.end())
      remedies.emplace_back(refused.remedy);
  }
  return {Code::kUnavailable, "NO_NODE",
          why.empty() ? "there is no node for a session; would help: start a node agent"
                      : cat("no node can take the session: ", join(why, ", "),
                            "; would help: ", join(remedies, ", or "))};
}

}  // namespace

Result<std::string> choose_node(const Wish& wish, const std::vector<Node>& nodes,
                                const std::map<std::string, int64_t>& counts) {
  const Node* best = nullptr;
  int64_t most_room = 0;
  std::map<std::string, Refused> refusals;  // by what stands against them
  for (const Node& node : nodes) {
    const auto found = counts.find(node.metadata.name);
    const int64_t sessions = found == counts.end() ? 0 : found->second;
    if (Refusal why = refusal(wish, node, sessions); !why.what.empty()) {
      Refused& refused = refusals[why.what];
      refused.remedy = why.remedy;
      ++refused.nodes;
      continue;
    }
    const int64_t room = node.status.max_sessions - sessions;
    if (room <= most_room) continue;
    most_room = room;
    best = &node;
  }
  if (best == nullptr) return no_node(refusals);
  return best->metadata.name;
}

}  // namespace paddock::sessions
