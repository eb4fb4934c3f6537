// The runs and sessions that a node should hold, and a version that changes when any of that does.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/sync.h"
#include "controller/store/store.h"

namespace paddock::nodes {

Result<std::vector<contracts::Assignment>> assignments_for(store::ReadTxn& txn,
                                                           const std::string& node);
// Names the endings that come back, `compute` of runs of that type.
void name_artifact_types(std::vector<contracts::Assignment>& assignments,
                         const std::vector<std::string>& compute);
// Leaves out code and data that travel only once: of runs that the node named in its request, and
// of runs for whose code this answer has no room; the next answer has those.
void spare_code(std::vector<contracts::Assignment>& assignments,
                const std::vector<contracts::RunReport>& named);
// The version does not cover acknowledgements: they are sent with any answer.
std::string version_of(const std::vector<contracts::Assignment>& assignments,
                       const std::vector<std::string>& sessions);
// The version of what this node should hold now, without making the assignments.
Result<std::string> version_for(store::ReadTxn& txn, const std::string& node);

}  // namespace paddock::nodes
