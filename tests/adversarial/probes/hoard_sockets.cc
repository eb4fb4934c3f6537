// Fills the buffers of TCP and UDP sockets of its own loopback device and lets nobody read them.
// Prints `HELD n`, in MiB.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "probe.h"

namespace {

char block[60'000];
long held = 0;

// A socket that is bound to a port of its own.
int bound(int type, sockaddr_in& address) {
  const int fd = socket(AF_INET, type, 0);
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, generic, size) != 0 || getsockname(fd, generic, &size) != 0)
    breach("no loopback device", errno);
  const int large = 1 << 24;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &large, sizeof large);
  return fd;
}

int connected(int type, const sockaddr_in& address) {
  const int fd = socket(AF_INET, type, 0);
  const int large = 1 << 24;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &large, sizeof large);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return -1;
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

}  // namespace

int main() {
  constexpr int kSockets = 120;
  sockaddr_in address{};
  const int server = bound(SOCK_STREAM, address);
  listen(server, kSockets);
  for (int i = 0; i < kSockets; ++i) {
    const int client = connected(SOCK_STREAM, address);
    (void)accept(server, nullptr, nullptr);
    for (ssize_t n = 0; (n = send(client, block, sizeof block, MSG_NOSIGNAL)) > 0;) held += n;
  }
  int receivers[kSockets] = {};
  for (int& receiver : receivers) {
    sockaddr_in own{};
    receiver = bound(SOCK_DGRAM, own);
    const int sender = connected(SOCK_DGRAM, own);
    for (int k = 0; k < 20; ++k) (void)send(sender, block, sizeof block, 0);
    close(sender);
  }
  for (const int receiver : receivers) {
    while (recv(receiver, block, sizeof block, MSG_DONTWAIT) > 0)
      held += static_cast<long>(sizeof block);
  }
  std::printf("HELD %ld\n", held >> 20);
  return breaches == 0 ? 0 : 99;
}
