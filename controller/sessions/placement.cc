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

// Why the node cannot take the session; empty: it can.
std::string refusal(const Wish& wish, const Node& node, int64_t sessions) {
  if (!node.status.ready) return "not ready";
  if (contracts::disk_pressure(node.status) != nullptr) return "with a full disk";
  if (contracts::unfit(node.status) != nullptr) return "with a faulty host";
  if (node.status.max_sessions == 0) return "takes no sessions";
  if (node.spec.unschedulable) return "cordoned";
  if (std::ranges::any_of(node.spec.taints, keeps_others_away)) return "tainted";
  if (!has_labels(node, wish.spec.node_selector)) return "without the labels of nodeSelector";
  if (!proven(node, wish.policy)) return "a canary of its sandbox failed; see `paddock doctor`";
  if (sessions >= node.status.max_sessions) return "full";
  Status allowed = contracts::check_node_bounds(wish.policy, contracts::bounds_of(node.status));
  if (allowed.ok() && node.status.ceilings)
    allowed = contracts::check_grace(wish.spec.termination_grace, *node.status.ceilings);
  return allowed.ok() ? "" : allowed.error().message;
}

Error no_node(const std::map<std::string, int64_t>& refusals) {
  std::vector<std::string> why;
  for (const auto& [text, count] : refusals) why.push_back(cat(count, " ", text));
  return {Code::kUnavailable, "NO_NODE",
          why.empty() ? "there is no node for a session"
                      : cat("no node can take the session: ", join(why, ", "))};
}

}  // namespace

Result<std::string> choose_node(const Wish& wish, const std::vector<Node>& nodes,
                                const std::map<std::string, int64_t>& counts) {
  const Node* best = nullptr;
  int64_t most_room = 0;
  std::map<std::string, int64_t> refusals;
  for (const Node& node : nodes) {
    const auto found = counts.find(node.metadata.name);
    const int64_t sessions = found == counts.end() ? 0 : found->second;
    if (const std::string why = refusal(wish, node, sessions); !why.empty()) {
      ++refusals[why];
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
