// The sockets that a broker serves: made in the sandbox's network namespace by its init process and
// handed over in one message.
#pragma once

#include <optional>

#include "node-agent/sandbox/linux/egress/broker.h"

namespace paddock::sandbox {

// The broker's side: waits for the sockets and says that it has them. Nothing if init is gone.
// `listeners`: at least so many; a gateway's may be among them.
std::optional<BrokerSockets> take_sockets(int sandbox, size_t listeners);

}  // namespace paddock::sandbox
