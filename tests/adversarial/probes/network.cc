// Every way to a network: each is refused, and each is named in the result. With the argument
// `loopback` there is a loopback device of the sandbox's own, which loopback.cc is about; with
// `broker` it leads to the broker too.
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "probe.h"

namespace {

sockaddr_in address(const char* text, unsigned short port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  inet_pton(AF_INET, text, &out.sin_addr);
  return out;
}

}  // namespace

int main(int argc, char**) {
  const bool loopback = argc > 1;
  for (const char* host : {"1.1.1.1", "127.0.0.1", "169.254.169.254"}) {
    if (loopback && std::strcmp(host, "127.0.0.1") == 0) continue;
    const sockaddr_in to = address(host, 443);
    const int stream = socket(AF_INET, SOCK_STREAM, 0);
    expect_refused("connect", connect(stream, reinterpret_cast<const sockaddr*>(&to), sizeof to));
    const int datagram = socket(AF_INET, SOCK_DGRAM, 0);
    expect_refused("sendto",
                   sendto(datagram, "x", 1, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to));
    msghdr message{};
    iovec part{const_cast<char*>("x"), 1};
    message.msg_name = const_cast<sockaddr_in*>(&to);
    message.msg_namelen = sizeof to;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    expect_refused("sendmsg", sendmsg(datagram, &message, 0));
  }
  const sockaddr_in any = address("0.0.0.0", 0);
  const sockaddr_in elsewhere = address("192.0.2.1", 0);
  expect_refused("bind",
                 bind(socket(AF_INET, SOCK_STREAM, 0),
                      reinterpret_cast<const sockaddr*>(loopback ? &elsewhere : &any), sizeof any));
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(80);
  six.sin6_addr = in6addr_loopback;
  if (loopback) inet_pton(AF_INET6, "2606:4700::1111", &six.sin6_addr);
  expect_refused("connect over IPv6", connect(socket(AF_INET6, SOCK_STREAM, 0),
                                              reinterpret_cast<const sockaddr*>(&six), sizeof six));
  six.sin6_port = 0;
  expect_refused("bind over IPv6", bind(socket(AF_INET6, SOCK_STREAM, 0),
                                        reinterpret_cast<const sockaddr*>(&six), sizeof six));
  for (int family = 0; family < 64; ++family) {
    if (family == AF_UNIX || family == AF_INET || family == AF_INET6) continue;
    if (loopback && family == AF_NETLINK) continue;
    expect_refused("a socket family", socket(family, SOCK_RAW, 0));
    expect_refused(
        "a socket family, upper bits",
        syscall(SYS_socket, 0x100000000UL | static_cast<unsigned>(family), SOCK_DGRAM, 0));
  }
  expect_refused("raw socket", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  ifreq device{};
  std::strcpy(device.ifr_name, "lo");
  device.ifr_flags = IFF_UP;
  expect_refused("bringing lo up", ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCSIFFLAGS, &device));
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) breach("local sockets do not work");
  return verdict();
}
