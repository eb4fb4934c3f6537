// Tool bundles of runs: kept beside the run until it ends, for its node alone.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// Reduces the run to what callers may see of its bundle. The annotation in which kubectl repeats
// what was applied is removed, since it would show all of it.
void show_summary_only(contracts::Run& run);
Status keep_bundle(store::WriteTxn& txn, const contracts::Run& run,
                   const contracts::ToolBundle& bundle);

// GET nodes/{node}/runs/{uid}/tool-bundle: for the node that has the run. TOOL_BUNDLE_NOT_FOUND.
Result<Response> node_tool_bundle(Call& call);

}  // namespace paddock::api
