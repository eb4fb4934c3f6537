// What the end of a run that a node was given says of that node. Pure.
#pragma once

#include <optional>

#include "common/contracts/run.h"
#include "common/contracts/sync.h"
#include "controller/nodes/cool_down.h"

namespace paddock::nodes {

// Whose fault it is that the run was not begun, or that its node's disk took its end. Nothing: it
// says nothing of the node, as where a node has no room for what one run brings along: it says how
// much it has, and goes on for others.
std::optional<Blame> blame_for(const contracts::Run& before, const contracts::RunReport& report);

// Whether nothing of the run was begun, for a cause that another node may not have, but every node
// too: no source of its packages, or something that the system refused while the run was prepared.
bool is_in_doubt(const contracts::Run& before, const contracts::RunReport& report);

}  // namespace paddock::nodes
