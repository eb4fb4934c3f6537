// What this host's sandbox has proven that it can enforce: `paddock-sandbox probe`, run once at
// start.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/launch.h"

namespace paddock::agent {

// SANDBOX_UNAVAILABLE if the program cannot be run or says nothing that can be read.
Result<std::vector<contracts::Capability>> probe_capabilities(const std::string& sandbox_program);

}  // namespace paddock::agent
