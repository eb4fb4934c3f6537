// Sockets that no program we start inherits, and that never raise SIGPIPE.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "common/os/fd.h"

namespace paddock::os {

// As socket(2); not valid with errno set.
Fd make_socket(int family, int type, int protocol);

struct SocketPair {
  Fd ours;
  Fd theirs;
};
// Two ends of one stream.
Result<SocketPair> make_socket_pair();

// As send(2).
ssize_t send_some(int socket, std::string_view bytes);

// Takes a SIGPIPE that waits for the calling thread, which blocks it: libraries write to sockets as
// they like. Nothing on macOS, where our sockets raise none.
void take_sigpipe();

}  // namespace paddock::os
