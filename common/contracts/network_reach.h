// What a policy's network gives, for the sandbox that makes it and for the code that explains it.
// Pure.
#pragma once

#include "common/contracts/sandbox_policy.h"

namespace paddock::contracts {

// A loopback device of its own: of a policy that does not say, where it has a network at all.
inline bool has_loopback(const NetworkPolicy& network) {
  return network.loopback.value_or(network.enabled);
}

}  // namespace paddock::contracts
