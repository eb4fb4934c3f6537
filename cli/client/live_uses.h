// Asks the controller what nodes and runs use right now.
#pragma once

#include "cli/output/live_use.h"
#include "common/client/controller_client.h"

namespace paddock::cli {

// The use of all nodes that were measured; none where the controller is of an earlier release.
Result<NodeUses> node_uses(client::ControllerClient& client);
// The use of the runs of one namespace, or of all namespaces where it is empty.
Result<RunUses> run_uses(client::ControllerClient& client, const std::string& name_space);

}  // namespace paddock::cli
