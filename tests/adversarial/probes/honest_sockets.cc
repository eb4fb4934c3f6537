// A server and its clients: 400 connections that all carry data at once, some new ones each round,
// datagrams, local sockets, some that are not in use, and programs that look up their addresses
// again and again, each time with a new socket. Prints `SERVED n`, in MiB.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <ctime>

#include "probe.h"

namespace {

constexpr int kConnections = 400;
char block[32'000];
long served = 0;

struct Pair {
  int client;
  int server;
};

int bound(int type, sockaddr_in& address) {
  const int fd = socket(AF_INET, type, 0);
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, generic, size) != 0 || getsockname(fd, generic, &size) != 0)
    breach("no port", errno);
  return fd;
}

Pair meet(int listener, const sockaddr_in& address) {
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    breach("no connection", errno);
  return {client, accept(listener, nullptr, nullptr)};
}

void pass(int from, int to) {
  if (send(from, block, sizeof block, MSG_NOSIGNAL) != sizeof block) breach("not sent", errno);
  for (long left = sizeof block, n = 0; left > 0; left -= n) {
    if ((n = recv(to, block, static_cast<size_t>(left), 0)) <= 0) return breach("lost", errno);
    served += n;
  }
}

void look_up_addresses() {
  for (;;) {
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) == 0) freeifaddrs(all);
  }
}

}  // namespace

int main() {
  for (int i = 0; i < 2; ++i)
    if (fork() == 0) look_up_addresses();  // ends with the sandbox
  sockaddr_in address{};
  const int listener = bound(SOCK_STREAM, address);
  listen(listener, 128);
  std::array<Pair, kConnections> pairs{};
  for (Pair& pair : pairs) pair = meet(listener, address);
  sockaddr_in place{};
  const int receiver = bound(SOCK_DGRAM, place);
  for (int i = 0; i < 30; ++i) (void)socket(AF_INET, SOCK_DGRAM, 0);
  for (int i = 0; i < 200; ++i) {
    int local[2] = {};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, local) != 0) breach("no local sockets", errno);
  }
  const time_t end = time(nullptr) + 3;
  while (time(nullptr) < end && breaches == 0) {
    for (const Pair& pair : pairs)
      if (send(pair.server, block, sizeof block, MSG_NOSIGNAL) != sizeof block)
        breach("not sent", errno);
    usleep(20'000);
    for (const Pair& pair : pairs) {
      for (long left = sizeof block, n = 0; left > 0; left -= n) {
        if ((n = recv(pair.client, block, static_cast<size_t>(left), 0)) <= 0) break;
        served += n;
      }
    }
    for (int i = 0; i < 50; ++i) {
      const Pair pair = meet(listener, address);
      pass(pair.client, pair.server);
      close(pair.server);
      close(pair.client);
      (void)sendto(receiver, block, 1000, 0, reinterpret_cast<sockaddr*>(&place), sizeof place);
      (void)recv(receiver, block, sizeof block, 0);
    }
  }
  std::printf("SERVED %ld\n", served >> 20);
  return breaches == 0 ? 0 : 99;
}
