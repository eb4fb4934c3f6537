// Why a demand fits nowhere now: the nodes in groups, each with its reason and what would help.
#pragma once

#include <string>
#include <vector>

#include "controller/scheduler/node_index.h"

namespace paddock::scheduler {

struct NodeGroup {
  int64_t nodes = 0;
  std::string reason;  // "have no nvidia device"
  std::string remedy;
  bool too_small = false;  // whatever ends there
};

// The filter that refuses this node first, as an index of filters(); nothing if it would do.
std::optional<size_t> refused_by(const Demand& demand, const NodeState& node);

// Whether the node takes such a run once it has no other.
bool could_take(const Demand& demand, const contracts::Node& node, WallTime now);
bool could_take(const Demand& demand, const NodeState& node);

struct Refusals {
  int64_t fit = 0;                // nodes that would do
  std::vector<NodeGroup> groups;  // the others; for a gang also the nodes that are missing
};
// No groups if enough nodes would do: one, or for a gang as many as it has members.
Refusals find_refusals(const Demand& demand, const NodeIndex& nodes);

// Why a run waits: what for, and in words.
struct Why {
  enum class For { kNode, kTurn, kQuota };
  For what = For::kNode;
  std::string message;
};

// "0/3 nodes fit: 2 have no nvidia device, 1 is cordoned; would help: …"; of a gang
// "1/3 nodes fit, and its 2 members need one each: …".
std::string refusal_text(const Demand& demand, size_t nodes, const Refusals& refusals);

}  // namespace paddock::scheduler
