// One environment, found as it is kept or built now. For node-agent/runtimes only. Thread-safe and
// safe between processes.
#pragma once

#include <functional>
#include <string>

#include "node-agent/runtimes/build_step.h"

namespace paddock::runtimes {

// An environment that is to be there.
struct Wanted {
  EnvironmentId id;
  std::string count;   // "1 requirement"
  std::string inside;  // where it belongs in the sandbox
  std::string part;    // of the environment that the sandbox sees; empty: all of it
  std::function<Status(const Build&)> build;
};

// Waits while somebody else builds it. Errors: those of its build, ENVIRONMENT_UNAVAILABLE for a
// disk without room, INTERRUPTED.
Result<Environment> find_or_make(const EnvironmentConfig& config, const EnvironmentRequest& request,
                                 const EnvironmentPorts& ports, Wanted wanted);

}  // namespace paddock::runtimes
