// Puts the final report of a run's broker into the run's result. Pure.
#pragma once

#include <optional>
#include <string>

#include "node-agent/sandbox/egress/messages.h"

namespace paddock::sandbox {

// `report`: nothing if the broker ended before the run; then the result says so. Refused addresses
// that stand for names inside are named. The broker sees no process: `sole_user` is the executable
// that made all its connections, empty where there were several. Call after classify(): the reason
// of a failed command goes on with the names that it was allowed and the node did not reach.
void tell_of_network(std::optional<BrokerReport> report, const std::string& sole_user,
                     contracts::SandboxResult& result);

}  // namespace paddock::sandbox
