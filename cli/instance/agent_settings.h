// The node agent's configuration file, as far as joining and leaving need it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace paddock::cli {

// The paths that the agent's packages install; docs/install.md.
inline constexpr const char* kAgentConfigFile = "/etc/paddock/node-agent.yaml";
inline constexpr const char* kAgentDataDir = "/var/lib/paddock/node-agent";
inline constexpr const char* kAgentServer = "https://127.0.0.1:8443";  // the agent's default

struct AgentSettings {
  std::string server;  // kAgentServer unless the file says otherwise
  std::string ca_file;
  std::string name;
  std::string data_dir;  // kAgentDataDir unless the file says otherwise
};
// FailedPrecondition (AGENT_CONFIG_INVALID).
Result<AgentSettings> read_agent_settings(std::string_view yaml);

using AgentKeys = std::vector<std::pair<std::string, std::string>>;
// The text with these keys set; all else, comments too, stays as it is. FailedPrecondition
// (AGENT_CONFIG_INVALID) where that cannot be done line by line.
Result<std::string> set_agent_keys(std::string_view yaml, const AgentKeys& keys);

}  // namespace paddock::cli
