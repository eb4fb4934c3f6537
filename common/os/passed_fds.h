// Descriptors that travel with a message over a Unix socket (SCM_RIGHTS).
#pragma once

#include <sys/socket.h>

#include <span>
#include <vector>

#include "common/os/fd.h"

namespace paddock::os {

// Puts them at the start of the message's control space, which has room for them (CMSG_SPACE) and
// is aligned as a cmsghdr. They stay the caller's. None: nothing is done.
void attach_fds(msghdr& message, std::span<const int> fds);

// Those that came with a message: the function that takes them owns them.
std::vector<Fd> take_fds(msghdr& message);

}  // namespace paddock::os
