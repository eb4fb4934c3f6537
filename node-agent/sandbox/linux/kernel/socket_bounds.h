// Bounds what each socket of the caller's network namespace may hold for options and ancillary
// data. It is in no cgroup, and a thread that waits in sendmsg() keeps it.
#pragma once

#include <cstdint>

namespace paddock::sandbox {

// The kernel's own bound before Linux 6.8. The descriptors in a message take some 1 KiB of it; a
// program that has much of what it sends with MSG_ZEROCOPY under way may get ENOBUFS, as it had to
// expect before.
inline constexpr int64_t kMostOptionBytes = 20'480;

// Takes CAP_NET_ADMIN in the user namespace that owns the network namespace. Where /proc/sys cannot
// be written, or before Linux 6.8, the host's bound holds.
void bound_socket_options();

}  // namespace paddock::sandbox
