// An operator's changes to a node: cordon, drain, taint. NotFound (NODE_NOT_FOUND). `record` is
// written with every change, and not where nothing changes.
#pragma once

#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/contracts/drain.h"
#include "common/contracts/node.h"
#include "controller/nodes/registry.h"

namespace paddock::nodes {

// Uncordoning also ends a drain; what was evicted by then stays so.
Result<contracts::Node> set_unschedulable(store::Store& store, const std::string& node,
                                          bool unschedulable, const Record& record = {});
// Cordons, and has what still runs after `grace` ended. Asking again sets the grace anew.
Result<contracts::Node> drain(store::Store& store, const std::string& node, Millis grace,
                              WallTime now, const Record& record = {});
Result<contracts::Node> set_taints(store::Store& store, const std::string& node,
                                   std::vector<contracts::Taint> taints, const Record& record = {});
Result<contracts::DrainReport> drain_report(store::Store& store, const std::string& node);

}  // namespace paddock::nodes
