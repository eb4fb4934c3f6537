// A filter says whether a node can take a run now, and for all nodes it refused why, in words.
#pragma once

#include <span>
#include <string>

#include "controller/scheduler/demand.h"
#include "controller/scheduler/node_state.h"

namespace paddock::scheduler {

struct Misfit {
  std::string one;     // "has no nvidia device", after "1"
  std::string many;    // "have no nvidia device", after "2"
  std::string remedy;  // "add a node with an nvidia device"
};

// What a filter's answer depends on: on facts that many nodes share and that no run changes, on
// what a node has and has free, or on which node it is.
enum class DependsOn { kKindOfNode, kAmounts, kNode };

// The amount that a node offers. The largest amount among the nodes that refused is named to the
// caller.
struct Offer {
  int64_t (*of)(const NodeState& node);
  std::string (*in_words)(int64_t most);  // "the largest has 2"
};

// Whether a run may fit once others have left the node, or never, because it asks for more than the
// whole node has.
enum class Lack { kNow, kForGood };

struct Filter {
  DependsOn depends_on;
  bool (*admits)(const Demand& demand, const NodeState& node);
  Misfit (*explain)(const Demand& demand);
  const Offer* offer = nullptr;
  Lack lack = Lack::kNow;
};

// All filters in the order in which they are asked. The first one that refuses a node is the reason
// that is named.
std::span<const Filter> filters();

// One per file. Capacity filters come in two: the node is too small, or it is busy now.
extern const Filter kReadyFilter;
extern const Filter kCordonFilter;
extern const Filter kDiskFilter;
extern const Filter kFaultFilter;
extern const Filter kRestFilter;
extern const Filter kSelectorFilter;
extern const Filter kTaintFilter;
extern const Filter kLevelFilter;
extern const Filter kCeilingFilter;
extern const Filter kDeviceFilter;
extern const Filter kFreeDeviceFilter;
extern const Filter kCpuFilter;
extern const Filter kFreeCpuFilter;
extern const Filter kMemoryFilter;
extern const Filter kFreeMemoryFilter;
extern const Filter kFreeDiskFilter;
extern const Filter kSlotFilter;
extern const Filter kTimeFilter;
extern const Filter kKeptOffFilter;
extern const Filter kIsolationFilter;
// One for each limit whose canary may fail.
std::span<const Filter> canary_filters();

}  // namespace paddock::scheduler
