// One whole history: some steps with faults, then quiet until every run ended.
#pragma once

#include <cstdint>
#include <string>

#include "tests/simulation/world.h"

namespace paddock::simulation {

// The first violation, or empty.
std::string play(uint64_t seed, const Tampering& tampering = {});

}  // namespace paddock::simulation
