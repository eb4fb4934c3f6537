#include "common/os/socket.h"

#include <signal.h>
#include <sys/socket.h>

#include <cerrno>
#include <ctime>

namespace paddock::os {

Fd make_socket(int family, int type, int protocol) {
  return Fd(::socket(family, type | SOCK_CLOEXEC, protocol));
}

Result<SocketPair> make_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("making a pair of sockets", errno);
  return SocketPair{Fd(ends[0]), Fd(ends[1])};
}

ssize_t send_some(int socket, std::string_view bytes) {
  return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void take_sigpipe() {
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  const timespec now = {};
  while (::sigtimedwait(&pipe, nullptr, &now) == SIGPIPE) {
  }
}

}  // namespace paddock::os
