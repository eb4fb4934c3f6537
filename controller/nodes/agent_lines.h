// The standard output of an agent run, line by line: what it asks for becomes its pending set.
#pragma once

#include "controller/runs/transitions.h"
#include "controller/store/store.h"

namespace paddock::nodes {

// Takes in output that is new, inside the transaction that stores it: each line is looked at once.
// Changes run.status.pendingToolUses; the caller stores the run. A line over 1 MiB is only output.
Status take_agent_output(store::WriteTxn& txn, contracts::Run& run, const runs::Events& output);

}  // namespace paddock::nodes
