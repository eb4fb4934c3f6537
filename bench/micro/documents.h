// Documents that the golden tests hold to the contracts: what is measured is what is really sent.
// Needs PADDOCK_SOURCE_DIR; ends the program where they cannot be read.
#pragma once

#include <string>

#include "common/contracts/run.h"

namespace paddock::bench {

// `name`: below tests/golden/contracts.
std::string golden(const std::string& name);
contracts::Run golden_run();

}  // namespace paddock::bench
