// What a node should hold, and a version of it that changes when any of it does.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/session.h"
#include "controller/store/store.h"

namespace paddock::nodes {

Result<std::vector<contracts::Assignment>> assignments_for(store::ReadTxn& txn,
                                                           const std::string& node);
// Acknowledgements are not part of it: they ride along.
std::string version_of(const std::vector<contracts::Assignment>& assignments,
                       const std::vector<std::string>& sessions);

}  // namespace paddock::nodes
