// A node as the filters see it, and what the runs on it take.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/contracts/node.h"
#include "controller/scheduler/demand.h"

namespace paddock::scheduler {

struct NodeState {
  std::string name;
  bool ready = false;
  bool unschedulable = false;
  bool disk_full = false;
  bool faulty = false;   // its host has a fault that no run could live with
  bool resting = false;  // it could not begin what it was given
  std::map<std::string, std::string> labels;
  std::vector<contracts::Taint> taints;
  contracts::NodeBounds bounds;
  std::vector<std::string> unproven;  // capabilities whose canaries failed here
  std::map<std::string, contracts::EnforcementLevel> proven;  // the weakest of each capability
  contracts::Capacity capacity;
  std::optional<int64_t> disk;  // that runs may ask for together; nothing: it does not say
  DeviceCount devices{};
  std::optional<WallTime> ends_at;                        // its host goes away then
  int64_t ms_left = std::numeric_limits<int64_t>::max();  // until then, as of the last pass
  // In use by the runs placed here.
  int64_t used_cpu = 0;
  int64_t used_memory = 0;
  int64_t used_disk = 0;
  int64_t used_runs = 0;
  DeviceCount used_devices{};
};

NodeState state_of(const contracts::Node& node);
// Equal for nodes that no filter of DependsOn::kKindOfNode can tell apart.
std::string kind_key(const NodeState& node);

// What is left of its disk for what is placed next; less than nothing if it has less than it had.
int64_t unused_disk(const NodeState& node);

// How long it still is there.
int64_t ms_left(const NodeState& node, WallTime now);

void occupy(NodeState& node, const Demand& demand);
void empty(NodeState& node);  // nothing in use

}  // namespace paddock::scheduler
