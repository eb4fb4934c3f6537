// Building one Python environment. For node-agent/runtimes only; see environment.h.
#pragma once

#include <string>

#include "node-agent/runtimes/environment.h"
#include "node-agent/runtimes/requirements.h"

namespace paddock::runtimes {

// The environment of this key: as it is if it is complete, else built now.
Result<Environment> python_environment(const EnvironmentConfig& config,
                                       const EnvironmentRequest& request,
                                       const Requirements& requirements, const std::string& key,
                                       const EnvironmentPorts& ports);

}  // namespace paddock::runtimes
