// Inputs that nobody wrote down: those of a corpus, changed a little. The same seed gives the same
// input on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace paddock::fuzz {

// One of `corpus`, which is not empty, after a few changes. At most 64 KiB.
std::string mutation(const std::vector<std::string>& corpus, uint64_t seed);

}  // namespace paddock::fuzz
