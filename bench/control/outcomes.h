// What became of runs, read back from the controller.
#pragma once

#include <string>
#include <vector>

#include "bench/control/wire.h"

namespace paddock::bench {

// Every run of these names is there, Succeeded with 0 at its first attempt, and its stream has
// exactly one `end`. Ends the program otherwise.
void check_outcomes(const Address& address, const std::vector<std::string>& names);
// A run's output.
std::string log_of(Wire& wire, const std::string& name);

}  // namespace paddock::bench
