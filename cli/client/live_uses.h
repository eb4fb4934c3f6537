// Asks the controller what nodes and runs use right now.
#pragma once

#include "cli/output/live_use.h"
#include "common/client/controller_client.h"

namespace paddock::cli {

// Of all that were measured; none where the controller is of an earlier release.
Result<NodeUses> node_uses(client::ControllerClient& client);
// Of one namespace, or of all where it is empty.
Result<RunUses> run_uses(client::ControllerClient& client, const std::string& name_space);

}  // namespace paddock::cli
