// What the builders of environments share. For node-agent/runtimes only.
#pragma once

#include <string>
#include <string_view>

#include "node-agent/runtimes/environment.h"
#include "node-agent/runtimes/package_index.h"

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
Result<std::string> allow_index(const Build& build, const PackageIndex& index,
                                contracts::LaunchRequest& launch);

// ENVIRONMENT_UNAVAILABLE: the operator has to do something.
Error unavailable(std::string message);
// ENVIRONMENT_FAILED with the builder's verdict; the end of its output goes to the run's log.
Error failed(const Build& build, const contracts::SandboxResult& result);
// The last line that says something: pip and npm put their verdict there.
std::string last_line(const std::string& text);

}  // namespace paddock::runtimes
