// Leaves data where sockets keep it and no cgroup counts it, 400 MiB if it may. Prints `HELD n`, in
// MiB, waits and ends well: who holds too much is ended before. The argument says where.
#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <string_view>

#include "probe.h"

namespace {

constexpr long kMost = 400L << 20;
char block[60'000];
long held = 0;
long stuck = 0;  // in one listener

void give_up(const char* what) {
  std::printf("NOTHING %s (%d)\n", what, errno);
  std::fflush(stdout);
  _exit(98);
}

sockaddr* generic(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

int bound(int type, sockaddr_in& address) {
  const int fd = socket(AF_INET, type, 0);
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(fd, generic(address), size) != 0 || getsockname(fd, generic(address), &size) != 0)
    give_up("a port");
  return fd;
}

int connected(int type, sockaddr_in& address) {
  const int fd = socket(AF_INET, type, 0);
  if (connect(fd, generic(address), sizeof address) != 0) give_up("a connection");
  return fd;
}

// A connection to a listener that accepts none.
int unaccepted() {
  static sockaddr_in address;
  if (stuck++ % 2000 == 0) {
    const int listener = bound(SOCK_STREAM, address);
    const int large = 1 << 20;
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &large, sizeof large);
    listen(listener, 4096);
  }
  return connected(SOCK_STREAM, address);
}

void leave_unaccepted(bool reset) {
  const int fd = unaccepted();
  held += send(fd, block, sizeof block, MSG_NOSIGNAL);
  const linger hard{1, 0};
  if (reset) setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close(fd);
}

void leave_replies() {
  struct {
    nlmsghdr head;
    char rest[8000];
  } unknown{};
  unknown.head.nlmsg_len = sizeof unknown;
  unknown.head.nlmsg_type = 999;  // the refusal repeats the message
  unknown.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (fd < 0) give_up("netlink");
  for (int i = 0; i < 20 && send(fd, &unknown, sizeof unknown, 0) > 0; ++i)
    held += static_cast<long>(sizeof unknown);
}

// Part of a datagram. A socket that is disconnected then is in no list of the kernel.
void leave_parts(bool disconnects) {
  sockaddr_in nobody{};
  nobody.sin_family = AF_INET;
  nobody.sin_port = htons(9);
  nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = connected(SOCK_DGRAM, nobody);
  held += send(fd, block, sizeof block, MSG_MORE);
  const sockaddr none{};
  if (disconnects && connect(fd, &none, sizeof none) != 0) give_up("a disconnection");
}

// When something was sent is told along with a copy of it.
void ask_for_copies(int fd) {
  const int flags =
      SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags);
}

void leave_copies_of_datagrams() {
  static sockaddr_in address;
  static const int receiver = bound(SOCK_DGRAM, address);
  const int fd = connected(SOCK_DGRAM, address);
  ask_for_copies(fd);
  for (int i = 0; i < 4; ++i) {
    (void)send(fd, block, 30'000, MSG_DONTWAIT);
    (void)recv(receiver, block, sizeof block, MSG_DONTWAIT);
    held += 30'000;
  }
}

void leave_copies_of_a_stream() {
  static sockaddr_in address;
  static const int listener = bound(SOCK_STREAM, address);
  static const int listening = listen(listener, 10);
  const int fd = connected(SOCK_STREAM, address);
  const int other = listening == 0 ? accept(listener, nullptr, nullptr) : -1;
  ask_for_copies(fd);
  for (int i = 0; i < 10; ++i) {
    (void)send(fd, block, 30'000, MSG_NOSIGNAL);
    for (long left = 30'000, n = 0; left > 0 && (n = recv(other, block, sizeof block, 0)) > 0;)
      left -= n;
    held += 30'000;
  }
}

// A port that others might share, and as many groups as a socket may join: each has memory of its
// own.
void leave_ports_and_groups() {
  constexpr uint32_t kGroups = 0xe1000000;  // 225.0.0.0
  constexpr uint32_t kMostOfASocket = 20;
  constexpr int kLoopback = 1;
  static uint32_t joined = 0;
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, generic(address), sizeof address) != 0) give_up("a port");
  for (uint32_t i = 0; i < kMostOfASocket; ++i) {
    const ip_mreqn group{{htonl(kGroups + joined++)}, {}, kLoopback};
    if (setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group) != 0)
      give_up("a group");
  }
  held += 7'000;
}

}  // namespace

int main(int, char** arguments) {
  const std::string_view where = arguments[1];
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  for (long i = 0; held < kMost && i < 20'000; ++i) {
    if (where == "unaccepted") leave_unaccepted(false);
    if (where == "reset") leave_unaccepted(true);
    if (where == "replies") leave_replies();
    if (where == "parts") leave_parts(false);
    if (where == "disconnected") leave_parts(true);
    if (where == "datagrams") leave_copies_of_datagrams();
    if (where == "streams") leave_copies_of_a_stream();
    if (where == "ports and groups") leave_ports_and_groups();
    if (where == "connections") close(unaccepted());  // by their number
  }
  std::printf("HELD %ld\n", held >> 20);
  std::fflush(stdout);
  sleep(100);
  return 0;
}
