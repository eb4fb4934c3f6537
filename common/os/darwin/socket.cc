// Flags that Linux takes with each call are settings of the socket on macOS. Close-on-exec is set a
// moment late: spawn() closes whatever it was not told to keep.
#include "common/os/socket.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>

namespace paddock::os {
namespace {

bool set_up(const Fd& socket) {
  const int on = 1;
  return ::fcntl(socket.get(), F_SETFD, FD_CLOEXEC) == 0 &&
         ::setsockopt(socket.get(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) == 0;
}

}  // namespace

Fd make_socket(int family, int type, int protocol) {
  Fd socket(::socket(family, type, protocol));
  if (socket.valid() && !set_up(socket)) socket.reset();
  return socket;
}

Result<SocketPair> make_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return system_error("making a pair of sockets", errno);
  SocketPair out{Fd(ends[0]), Fd(ends[1])};
  if (!set_up(out.ours) || !set_up(out.theirs))
    return system_error("making a pair of sockets", errno);
  return out;
}

ssize_t send_some(int socket, std::string_view bytes) {
  return ::send(socket, bytes.data(), bytes.size(), 0);
}

void take_sigpipe() {}

}  // namespace paddock::os
