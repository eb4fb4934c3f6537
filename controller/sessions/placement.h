// Chooses the node for a new session. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/contracts/node.h"
#include "common/contracts/sandbox.h"

namespace paddock::sessions {

struct Wish {
  const contracts::SandboxSpec& spec;
  const contracts::SandboxPolicy& policy;  // effective
};

// The node with the most room among those that may have it; by name among equals. `counts`: how
// many sessions each has. Unavailable, NO_NODE, with what stood against each, in bounded length.
Result<std::string> choose_node(const Wish& wish, const std::vector<contracts::Node>& nodes,
                                const std::map<std::string, int64_t>& counts);

}  // namespace paddock::sessions
