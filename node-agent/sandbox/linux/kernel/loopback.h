// The loopback device of the caller's network namespace. In a sandbox it is the only device, and it
// leads nowhere else. Changing it takes CAP_NET_ADMIN in the user namespace that owns the network
// namespace; no command has that.
#pragma once

#include <string>

#include "common/base/result.h"
#include "node-agent/sandbox/egress/addresses.h"

namespace paddock::sandbox {

// Brings up the loopback device. Every user may then listen on ports from 1 on, if the host allows
// that setting.
Status bring_up_loopback();
// Adds an address that others have outside: in this namespace it then means this device. Only the
// one address is added, and no network around it.
Status add_loopback_address(const IpAddress& address);
// The routes go with the device, and with them everything that the kernel keeps for them.
Status take_down_loopback();

// The counters that the kernel keeps for this namespace, as text. A namespace without sockets whose
// counters are those of its beginning is as good as new. (After any TCP connection they never are:
// the kernel remembers connections that have ended.) Empty if they cannot be read.
std::string network_books();
// Whether this namespace has no socket of any kind.
bool network_has_no_socket();

}  // namespace paddock::sandbox
