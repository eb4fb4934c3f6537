// What a node observed of its runs, written down inside a transaction.
#pragma once

#include <string>

#include "common/contracts/session.h"
#include "controller/store/store.h"
#include "controller/volumes/publish.h"

namespace paddock::nodes {

// Applies one report, with what volumes::prepare() made of it, or ignores it when the run is not
// this node's, the attempt is not the current one or the run has ended.
Status apply_report(store::WriteTxn& txn, const std::string& node,
                    const contracts::RunReport& report, const volumes::Publishing& publishing,
                    WallTime now);

}  // namespace paddock::nodes
