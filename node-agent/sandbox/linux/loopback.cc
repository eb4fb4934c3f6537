#include "node-agent/sandbox/linux/loopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/raw.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMostBooks = size_t{64} << 10;

Status set_flags(short flags, const char* what) {
  const os::Fd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = flags;
  if (!fd.valid() || ioctl(fd.get(), SIOCSIFFLAGS, &request) != 0) return step_error(what, errno);
  return {};
}

constexpr uint32_t kLoopbackIndex = 1;  // in every network namespace

struct AddressRequest {
  nlmsghdr header{sizeof(AddressRequest), RTM_NEWADDR, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE, 1,
                  0};
  ifaddrmsg about{AF_INET, 8, IFA_F_PERMANENT, RT_SCOPE_HOST, kLoopbackIndex};
  rtattr name{RTA_LENGTH(sizeof(in_addr)), IFA_LOCAL};
  in_addr value{};
};
struct Answer {
  nlmsghdr header{};
  nlmsgerr error{};
  char rest[256] = {};  // of the request, and in words
};

std::string read_book(const char* name) {
  const os::Fd file(open(cat("/proc/self/net/", name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  auto text = os::read_all(file.get(), kMostBooks);
  return text.ok() ? std::move(*text) : std::string();
}

}  // namespace

Status bring_up_loopback() {
  return set_flags(IFF_UP | IFF_RUNNING, "bringing up the sandbox's loopback device");
}

Status furnish_loopback() {
  TRY(bring_up_loopback());
  // The C library finds that a host whose only address is 127.0.0.1 has no IPv4, and then finds
  // neither `localhost` nor any name for who asks for what is configured (AI_ADDRCONFIG).
  const int error = add_loopback_address(INADDR_LOOPBACK + 1);
  if (error == 0 || error == EEXIST) return {};
  return step_error("giving the sandbox's loopback device an address", error);
}

int add_loopback_address(uint32_t address) {
  const os::Fd fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  AddressRequest wanted;
  wanted.value.s_addr = htonl(address);
  Answer said;
  constexpr auto kLeast = static_cast<ssize_t>(NLMSG_LENGTH(sizeof said.error));
  if (!fd.valid() || send(fd.get(), &wanted, sizeof wanted, 0) < 0 ||
      recv(fd.get(), &said, sizeof said, 0) < kLeast)
    return errno;
  return -said.error.error;
}

Status take_down_loopback() { return set_flags(0, "taking down the sandbox's loopback device"); }

std::string network_books() {
  std::string out;
  // Packets; what IPv4 and IPv6 were asked for and refused; flow labels, which outlive their
  // sockets. A kernel without IPv6 has not the last two.
  for (const char* name : {"dev", "snmp", "snmp6", "ip6_flowlabel"}) out += read_book(name);
  return out;
}

bool network_has_no_socket() { return read_book("sockstat").starts_with("sockets: used 0\n"); }

}  // namespace paddock::sandbox
