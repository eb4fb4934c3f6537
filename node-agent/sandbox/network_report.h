// What a run's broker says at its end, told in the run's result. Pure.
#pragma once

#include <optional>

#include "node-agent/sandbox/broker/messages.h"

namespace paddock::sandbox {

// `report`: nothing if the broker ended before the run; then the result says so. Refused addresses
// that stand for names inside are named.
void tell_of_network(std::optional<BrokerReport> report, contracts::SandboxResult& result);

}  // namespace paddock::sandbox
