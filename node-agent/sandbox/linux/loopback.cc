#include "node-agent/sandbox/linux/loopback.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
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
