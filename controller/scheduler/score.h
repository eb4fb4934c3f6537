// Ranks the nodes that fit.
#pragma once

#include <tuple>

#include "controller/scheduler/node_state.h"

namespace paddock::scheduler {

// Larger is better: a run without need for a device keeps off hosts that have one; then the node
// with most left free, in permille of cores, memory and slots.
using Score = std::tuple<bool, int64_t>;
Score score(const Demand& demand, const NodeState& node);

}  // namespace paddock::scheduler
