#include "node-agent/sandbox/linux/kernel/loopback.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMostBooks = size_t{64} << 10;
constexpr int kLoopbackPatienceMs = 30'000;  // a busy host keeps its own workers waiting, too

Status set_flags(short flags, const char* what) {
  const os::Fd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = flags;
  if (!fd.valid() || ioctl(fd.get(), SIOCSIFFLAGS, &request) != 0) return step_error(what, errno);
  return {};
}

constexpr const char* kAddingAddress = "adding an address to the sandbox's loopback device";

Status add_four(const IpAddress& address) {
  const os::Fd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo:1", 5);
  using Step = std::pair<unsigned long, uint32_t>;
  for (const auto& [call, number] :
       {Step{SIOCSIFADDR, ipv4_number(address)}, Step{SIOCSIFNETMASK, INADDR_BROADCAST}}) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(number);
    std::memcpy(&request.ifr_addr, &name, sizeof name);
    if (!fd.valid() || ioctl(fd.get(), call, &request) != 0)
      return step_error(kAddingAddress, errno);
  }
  return {};
}

// The kernel takes an IPv6 address into use later than the call, and tells whoever listens.
Result<os::Fd> hear_of_six() {
  os::Fd fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  sockaddr_nl name{};
  name.nl_family = AF_NETLINK;
  name.nl_groups = RTMGRP_IPV6_IFADDR;
  if (!fd.valid() || bind(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0)
    return step_error(kAddingAddress, errno);
  return fd;
}

bool is_in_use(const IpAddress& address) {
  const os::Fd fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const SocketName name = socket_name({address, 0});
  return fd.valid() && bind(fd.get(), name.get(), name.size) == 0;
}

Status wait_for_six(const os::Fd& told, const IpAddress& address) {
  std::array<char, 8192> message;
  pollfd news{told.get(), POLLIN, 0};
  while (!is_in_use(address)) {
    if (poll(&news, 1, kLoopbackPatienceMs) <= 0) return step_error(kAddingAddress, ETIMEDOUT);
    (void)recv(told.get(), message.data(), message.size(), MSG_DONTWAIT);
  }
  return {};
}

Status add_six(const IpAddress& address) {
  ASSIGN_OR_RETURN(const os::Fd told, hear_of_six());
  const os::Fd fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  struct {  // in6_ifreq, whose header does not go with the C library's
    in6_addr address;
    uint32_t bits;
    int device;
  } request{};
  std::memcpy(&request.address, address.bytes.data(), sizeof request.address);
  request.bits = 128;
  request.device = static_cast<int>(if_nametoindex("lo"));
  if (!fd.valid() || ioctl(fd.get(), SIOCSIFADDR, &request) != 0)
    return step_error(kAddingAddress, errno);
  return wait_for_six(told, address);
}

// Ports below 1024 too are the sandbox's own: no service of the host can be meant by them. Where
// /proc cannot be written to (some container runtimes), they stay for root, and nobody is that.
void open_low_ports() {
  const os::Fd file(open("/proc/sys/net/ipv4/ip_unprivileged_port_start", O_WRONLY | O_CLOEXEC));
  if (file.valid()) (void)os::write_all(file.get(), "0");
}

std::string read_book(const char* name) {
  const os::Fd file(open(cat("/proc/self/net/", name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  auto text = os::read_all(file.get(), kMostBooks);
  return text.ok() ? std::move(*text) : std::string();
}

// How often a way to an IPv6 address was made, which stays when the device is taken down. The other
// numbers are of the device itself.
std::string made_routes() {
  const std::vector<std::string> numbers = split(read_book("rt6_stats"), ' ');
  return numbers.size() > 2 ? numbers[2] : std::string();
}

}  // namespace

Status bring_up_loopback() {
  open_low_ports();
  return set_flags(IFF_UP | IFF_RUNNING, "bringing up the sandbox's loopback device");
}

Status add_loopback_address(const IpAddress& address) {
  return address.v6 ? add_six(address) : add_four(address);
}

Status take_down_loopback() { return set_flags(0, "taking down the sandbox's loopback device"); }

std::string network_books() {
  std::string out;
  // Packets; what IPv4 and IPv6 were asked for and refused; flow labels, which outlive their
  // sockets. A kernel without IPv6 has not the last two.
  for (const char* name : {"dev", "snmp", "snmp6", "ip6_flowlabel"}) out += read_book(name);
  return out + made_routes();
}

bool network_has_no_socket() { return read_book("sockstat").starts_with("sockets: used 0\n"); }

}  // namespace paddock::sandbox
