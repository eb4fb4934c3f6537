// Asks the controller what would become of a run if it were created now.
#pragma once

#include "common/client/controller_client.h"
#include "common/contracts/run_plan.h"

namespace paddock::cli {

// The answer as it came: a RunPlan. `tree`: the files that would go with it.
Result<wire::Value> ask_plan(client::ControllerClient& client, const contracts::Run& run,
                             const contracts::Tree& tree);

// NO_NODE_LARGE_ENOUGH, if there are nodes and not one of them would do with nothing else on it.
Status check_some_node_is_large_enough(const contracts::RunPlan& plan);

}  // namespace paddock::cli
