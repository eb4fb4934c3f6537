// This host as a node: the agent's configuration file and data folder, for one command at a time.
#pragma once

#include <optional>
#include <string>

#include "cli/instance/agent_settings.h"
#include "cli/options/command_row.h"
#include "cli/terminal/env.h"
#include "common/http/http_client.h"
#include "common/os/lock_file.h"

namespace paddock::cli {

class AgentHost {
 public:
  // Of --config, or of the packages' file; --data-dir wins over the file's dataDir.
  // AGENT_CONFIG_INVALID, also where it cannot be known whether there is one.
  static Result<AgentHost> find(const Parsed& parsed, const Env& env);

  const std::string& config_file() const { return config_file_; }
  bool configured() const { return configured_; }  // there is such a file
  const AgentSettings& settings() const { return settings_; }
  // The name of the node, as the agent would choose it.
  std::string node() const;
  const std::string& data_dir() const { return settings_.data_dir; }
  // Whether the service of the packages would read this configuration.
  bool is_service() const { return config_file_ == kAgentConfigFile; }

  // No agent may run meanwhile. FailedPrecondition (DATA_DIR_IN_USE).
  Result<os::LockFile> lock() const;
  // The controller of the configuration, called as this node. FailedPrecondition (NOT_JOINED).
  Result<http::Endpoint> endpoint() const;
  // Writes these into the configuration file, and makes it where there is none.
  Status set(const AgentKeys& keys) const;

 private:
  std::string config_file_;
  bool configured_ = false;
  std::string config_text_;
  AgentSettings settings_;
};

}  // namespace paddock::cli
