// A sandbox with a loopback device of its own: it leads to nobody else, and nothing about it can be
// changed. Arguments: a port that somebody listens on on the host's loopback device.
#include <arpa/inet.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstdlib>

#include "probe.h"

namespace {

struct Request {
  nlmsghdr header{};
  char body[256] = {};
};

sockaddr_in address(const char* text, int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(static_cast<unsigned short>(port));
  inet_pton(AF_INET, text, &out.sin_addr);
  return out;
}

// The kernel's answer to one request: 0 if it did what it was told, else -errno.
int ask_kernel(int fd, Request& request) {
  request.header.nlmsg_seq = 1;
  request.header.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
  char answer[8192];
  if (send(fd, &request, request.header.nlmsg_len, 0) < 0) return -errno;
  const ssize_t n = recv(fd, answer, sizeof answer, 0);
  if (n < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(nlmsgerr)))) return -EIO;
  nlmsgerr error{};
  std::memcpy(&error, NLMSG_DATA(reinterpret_cast<nlmsghdr*>(answer)), sizeof error);
  return reinterpret_cast<nlmsghdr*>(answer)->nlmsg_type == NLMSG_ERROR ? error.error : 0;
}

template <class Body>
Request make(unsigned short type, const Body& body) {
  Request out;
  out.header.nlmsg_type = type;
  out.header.nlmsg_flags = NLM_F_CREATE;
  out.header.nlmsg_len = NLMSG_LENGTH(sizeof body);
  std::memcpy(out.body, &body, sizeof body);
  return out;
}

void add(Request& request, unsigned short type, const void* bytes, unsigned short size) {
  auto* const at = reinterpret_cast<char*>(&request) + NLMSG_ALIGN(request.header.nlmsg_len);
  rtattr name{};
  name.rta_len = static_cast<unsigned short>(RTA_LENGTH(size));
  name.rta_type = type;
  std::memcpy(at, &name, sizeof name);
  if (size > 0) std::memcpy(at + RTA_LENGTH(0), bytes, size);
  request.header.nlmsg_len = NLMSG_ALIGN(request.header.nlmsg_len) + RTA_ALIGN(name.rta_len);
}

// Everything that would make this network another one, or lead out of it.
void change_by_netlink() {
  const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  if (fd < 0) return breach("the sandbox's own devices cannot be asked about", errno);
  const in_addr outside{htonl(0xc0000201)};
  const in_addr own{htonl(INADDR_LOOPBACK)};
  Request address = make(RTM_NEWADDR, ifaddrmsg{AF_INET, 24, 0, RT_SCOPE_UNIVERSE, 1});
  add(address, IFA_LOCAL, &outside, sizeof outside);
  expect_refused("adding an address", ask_kernel(fd, address));
  Request gone = make(RTM_DELADDR, ifaddrmsg{AF_INET, 8, 0, RT_SCOPE_HOST, 1});
  add(gone, IFA_LOCAL, &own, sizeof own);
  expect_refused("removing an address", ask_kernel(fd, gone));
  rtmsg way{};
  way.rtm_family = AF_INET;
  way.rtm_table = RT_TABLE_MAIN;
  way.rtm_protocol = RTPROT_BOOT;
  way.rtm_type = RTN_UNICAST;
  Request route = make(RTM_NEWROUTE, way);
  const int device = 1;
  add(route, RTA_OIF, &device, sizeof device);
  expect_refused("adding a route", ask_kernel(fd, route));
  Request rule = make(RTM_NEWRULE, way);
  expect_refused("adding a rule", ask_kernel(fd, rule));
  for (const char* kind : {"dummy", "veth", "bridge", "macvlan", "ipvlan", "vxlan", "gre", "ifb"}) {
    Request link = make(RTM_NEWLINK, ifinfomsg{});
    Request inner = make(RTM_NEWLINK, ifinfomsg{});
    inner.header.nlmsg_len = NLMSG_HDRLEN;
    add(inner, IFLA_INFO_KIND, kind, static_cast<unsigned short>(std::strlen(kind)));
    add(link, IFLA_LINKINFO, reinterpret_cast<char*>(&inner) + NLMSG_HDRLEN,
        static_cast<unsigned short>(inner.header.nlmsg_len - NLMSG_HDRLEN));
    expect_refused(kind, ask_kernel(fd, link));
  }
  ifinfomsg lo{};
  lo.ifi_index = 1;
  lo.ifi_change = IFF_UP;
  Request down = make(RTM_SETLINK, lo);
  expect_refused("taking lo down", ask_kernel(fd, down));
  Request moved = make(RTM_SETLINK, lo);
  const int one = 1;
  add(moved, IFLA_NET_NS_PID, &one, sizeof one);
  expect_refused("moving lo", ask_kernel(fd, moved));
  for (const unsigned short type :
       {RTM_NEWNEIGH, RTM_NEWQDISC, RTM_NEWTFILTER, RTM_NEWACTION, RTM_NEWNSID, RTM_NEWADDRLABEL,
        RTM_SETNEIGHTBL, RTM_SETSTATS, RTM_NEWNEXTHOP, RTM_SETDCB, RTM_NEWLINKPROP}) {
    Request other = make(type, lo);
    expect_refused("another change", ask_kernel(fd, other));
  }
  // News of other namespaces, and messages to other programs.
  expect_refused("hearing all namespaces",
                 setsockopt(fd, SOL_NETLINK, NETLINK_LISTEN_ALL_NSID, &one, sizeof one));
  sockaddr_nl other{};
  other.nl_family = AF_NETLINK;
  other.nl_pid = 4711;
  expect_refused("a message to another port",
                 sendto(fd, "x", 1, 0, reinterpret_cast<sockaddr*>(&other), sizeof other));
  other.nl_pid = 0;
  other.nl_groups = 1;
  expect_refused("a message to a group",
                 sendto(fd, "x", 1, 0, reinterpret_cast<sockaddr*>(&other), sizeof other));
  close(fd);
}

// What there is, as the kernel tells it: one device.
void count_devices() {
  const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  Request all = make(RTM_GETLINK, ifinfomsg{});
  all.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  char answer[32768];
  if (send(fd, &all, all.header.nlmsg_len, 0) < 0) breach("no answer about devices", errno);
  auto size = recv(fd, answer, sizeof answer, 0);
  int devices = 0;
  for (auto* each = reinterpret_cast<nlmsghdr*>(answer);
       NLMSG_OK(each, static_cast<unsigned>(size)); each = NLMSG_NEXT(each, size)) {
    if (each->nlmsg_type == RTM_NEWLINK) ++devices;
  }
  // Kernels with these modules loaded make fallback devices in every namespace; all are down.
  if (devices < 1) breach("no device", devices);
  close(fd);
}

void change_by_ioctl() {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ifreq device{};
  std::strcpy(device.ifr_name, "lo");
  expect_refused("taking lo down", ioctl(fd, SIOCSIFFLAGS, &device));
  auto there = address("192.0.2.1", 0);
  std::memcpy(&device.ifr_addr, &there, sizeof there);
  expect_refused("setting an address", ioctl(fd, SIOCSIFADDR, &device));
  std::strcpy(device.ifr_name, "lo:7");
  expect_refused("setting an alias", ioctl(fd, SIOCSIFADDR, &device));
  device.ifr_mtu = 100;
  std::strcpy(device.ifr_name, "lo");
  expect_refused("setting the MTU", ioctl(fd, SIOCSIFMTU, &device));
  rtentry route{};
  std::memcpy(&route.rt_dst, &there, sizeof there);
  route.rt_dev = device.ifr_name;
  expect_refused("adding a route", ioctl(fd, SIOCADDRT, &route));
  close(fd);
}

void reach_out(int port) {
  for (const char* host : {"127.0.0.1", "127.0.0.2", "0.0.0.0", "10.0.0.1", "192.0.2.1",
                           "169.254.169.254", "224.0.0.1", "255.255.255.255"}) {
    const sockaddr_in to = address(host, port);
    const auto* generic = reinterpret_cast<const sockaddr*>(&to);
    expect_refused(host, connect(socket(AF_INET, SOCK_STREAM, 0), generic, sizeof to));
    if (std::strncmp(host, "127.", 4) == 0 || host[0] == '0') continue;
    const int datagram = socket(AF_INET, SOCK_DGRAM, 0);
    const int on = 1;
    setsockopt(datagram, SOL_SOCKET, SO_BROADCAST, &on, sizeof on);
    expect_refused(host, sendto(datagram, "x", 1, 0, generic, sizeof to));
    setsockopt(datagram, IPPROTO_IP, IP_FREEBIND, &on, sizeof on);
    expect_refused(host, bind(datagram, generic, sizeof to));
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(static_cast<unsigned short>(port));
  for (const char* host : {"::1", "::", "::ffff:127.0.0.1", "fe80::1", "2606:4700::1111"}) {
    inet_pton(AF_INET6, host, &six.sin6_addr);
    expect_refused(host, connect(socket(AF_INET6, SOCK_STREAM, 0),
                                 reinterpret_cast<const sockaddr*>(&six), sizeof six));
  }
}

void open_other_families() {
  for (int kind = 1; kind < 64; ++kind) {
    expect_refused("another netlink family", socket(AF_NETLINK, SOCK_RAW, kind));
    expect_refused("another netlink family, upper bits",
                   syscall(SYS_socket, 0x700000000UL | AF_NETLINK, SOCK_DGRAM,
                           0x700000000UL | static_cast<unsigned>(kind)));
  }
  for (const int family : {AF_PACKET, AF_VSOCK, AF_TIPC, AF_CAN, AF_KEY, AF_ALG})
    expect_refused("another family", socket(family, SOCK_RAW, 0));
  expect_refused("a raw socket", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  expect_refused("SCTP", socket(AF_INET, SOCK_STREAM, 132));
}

}  // namespace

int main(int argc, char** argv) {
  reach_out(argc > 1 ? std::atoi(argv[1]) : 443);
  change_by_netlink();
  change_by_ioctl();
  count_devices();
  open_other_families();
  // And after all that it works as before.
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in own = address("127.0.0.1", 0);
  socklen_t size = sizeof own;
  auto* const generic = reinterpret_cast<sockaddr*>(&own);
  if (bind(server, generic, size) != 0 || listen(server, 1) != 0 ||
      getsockname(server, generic, &size) != 0 ||
      connect(socket(AF_INET, SOCK_STREAM, 0), generic, size) != 0)
    breach("its own loopback does not work", errno);
  return verdict();
}
