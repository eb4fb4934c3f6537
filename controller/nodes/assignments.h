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
// Leaves out what travels once: the code and data of runs that the node named in its request, and
// runs of more code than one answer carries, which the next one has.
void spare_code(std::vector<contracts::Assignment>& assignments,
                const std::vector<contracts::RunReport>& named);
// Acknowledgements are not part of it: they ride along.
std::string version_of(const std::vector<contracts::Assignment>& assignments,
                       const std::vector<std::string>& sessions);
// The version of what this node should hold now, without making the assignments.
Result<std::string> version_for(store::ReadTxn& txn, const std::string& node);

}  // namespace paddock::nodes
