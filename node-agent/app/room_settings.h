// Picks out of the agent's configuration the settings of each room.
#pragma once

#include "common/client/controller_client.h"
#include "node-agent/app/config.h"
#include "node-agent/executor/run_life.h"
#include "node-agent/host/host_look.h"
#include "node-agent/uplink/identity.h"

namespace paddock::agent {

// Unreadable: the CA file.
Result<http::Endpoint> endpoint_of(const AgentConfig& config);
NodeIdentity identity_of(const AgentConfig& config);
HostSettings host_settings_of(const AgentConfig& config);
// The bounds of this node. Where its operator set no ceiling, the size of this host is the bound.
contracts::NodeBounds bounds_of(const AgentConfig& config);
executor::ExecutorConfig executor_config(const AgentConfig& config,
                                         const contracts::NodeBounds& bounds);
// PROFILE_INVALID and the like: the agent does not start with another policy than was meant.
Result<snippets::Setting> snippet_setting_of(const AgentConfig& config,
                                             const contracts::NodeBounds& bounds);
sessions::Setting session_setting_of(const AgentConfig& config,
                                     const contracts::NodeBounds& bounds);

}  // namespace paddock::agent
