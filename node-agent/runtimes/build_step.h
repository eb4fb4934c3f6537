// Code that the builders of environments share. For node-agent/runtimes only.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/contracts/package_index.h"
#include "node-agent/runtimes/environment.h"

namespace paddock::runtimes {

// One environment while it is built. The folders are the host's.
struct Build {
  const EnvironmentConfig& config;
  const EnvironmentRequest& request;
  const EnvironmentPorts& ports;
  std::string input;   // read-only inside, at /workspace
  std::string output;  // writable inside, belongs to the builder
};

// A file of ours for the builder, in the folder that it only reads.
Status give_input(const Build& build, std::string_view name, std::string_view content);

// A launch without network that sees the input, and the output at `inside`. The run's limits hold.
contracts::LaunchRequest build_launch(const Build& build, std::string_view inside);

// Lets the launch reach this index, and nothing else. Returns the path inside of the operator's CA
// file; empty: none is set.
Result<std::string> allow_index(const Build& build, const contracts::PackageIndex& index,
                                contracts::LaunchRequest& launch);

// ENVIRONMENT_UNAVAILABLE: the operator has to do something.
Error unavailable(std::string message);
// Likewise: there is nowhere to install from. `option` of `paddock up` or `keys` of the agent's
// configuration give one.
Error no_source(const Build& build, std::string_view what, std::string_view option,
                std::string_view keys);
// ENVIRONMENT_FAILED with the builder's verdict, several lines of it below each other; its output
// goes to the run's log. `places`: of Python requirements, see requirements::Requirements.
Error failed(const Build& build, const contracts::SandboxResult& result,
             const std::map<std::string, std::string>& places = {});

}  // namespace paddock::runtimes
