// Reads grants together with their parents. A grant whose deletion was asked for counts as gone,
// even while a finalizer still keeps it: it gives nothing and bounds nothing.
#pragma once

#include <string>
#include <vector>

#include "controller/store/store.h"

namespace paddock::store {

// A grant and its ancestors, itself first. FailedPrecondition: GRANT_NOT_FOUND for one that is not
// there, GRANT_CHAIN_INVALID for a circle or more than eight links.
Result<std::vector<contracts::Grant>> grant_chain(ReadTxn& txn, const std::string& name_space,
                                                  const std::string& name);
Result<std::vector<std::vector<contracts::Grant>>> grant_chains(
    ReadTxn& txn, const std::string& name_space, const std::vector<std::string>& names);
Result<std::vector<contracts::Grant>> grants_in(ReadTxn& txn, const std::string& name_space);
// The names of the grants that a caller has without naming any.
std::vector<std::string> grants_of(const std::vector<contracts::Grant>& grants,
                                   const std::string& subject);

}  // namespace paddock::store
