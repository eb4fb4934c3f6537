// The loopback device of the network namespace that the caller is in: the only device there, which
// leads nowhere else. Whoever changes it has CAP_NET_ADMIN in the user namespace that owns that
// one; no command has.
#pragma once

#include <string>

#include "common/base/result.h"
#include "node-agent/sandbox/egress/addresses.h"

namespace paddock::sandbox {

Status bring_up_loopback();
// An address of others, which means this device then: it alone and no network around it.
Status add_loopback_address(const IpAddress& address);
// Its routes go, and with them whatever they were used for.
Status take_down_loopback();

// What the kernel has counted and kept in this namespace, as text: a namespace with no socket in it
// and the books that it began with is as new. (One through which anything went by TCP never is: the
// kernel keeps ends of connections and what it learned of them.) Empty: they cannot be read.
std::string network_books();
// The sockets of all kinds of this namespace. None: nobody is left in it.
bool network_has_no_socket();

}  // namespace paddock::sandbox
