#include "node-agent/sandbox/linux/selftest/canary_loopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/text.h"
#include "common/os/fd.h"

namespace paddock::sandbox {
namespace {

std::string answer_of(int error) {
  if (error == 0) return "succeeded";
  const char* name = strerrorname_np(error);
  return name == nullptr ? cat("errno ", error) : name;
}

sockaddr_in loopback(uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return out;
}

bool connects(const os::Fd& fd, const sockaddr_in& address) {
  return connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

constexpr uint32_t kLoopbackIndex = 1;  // in every network namespace

struct AddressRequest {
  nlmsghdr header{sizeof(AddressRequest), RTM_NEWADDR, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE, 1,
                  0};
  ifaddrmsg about{AF_INET, 8, IFA_F_PERMANENT, RT_SCOPE_HOST, kLoopbackIndex};
  rtattr name{RTA_LENGTH(sizeof(in_addr)), IFA_LOCAL};
  in_addr value{};
};
struct Acknowledged {
  nlmsghdr header{};
  nlmsgerr error{};
  char rest[256] = {};  // of the request, and in words
};

// errno; 0: it has it now.
int add_address(uint32_t address) {
  const os::Fd fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  AddressRequest wanted;
  wanted.value.s_addr = htonl(address);
  Acknowledged said;
  constexpr auto kLeast = static_cast<ssize_t>(NLMSG_LENGTH(sizeof said.error));
  if (!fd.valid() || send(fd.get(), &wanted, sizeof wanted, 0) < 0 ||
      recv(fd.get(), &said, sizeof said, 0) < kLeast)
    return errno;
  return -said.error.error;
}

}  // namespace

std::string connect_to_port(uint16_t port) {
  const os::Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool done = fd.valid() && connects(fd, loopback(port));
  return answer_of(done ? 0 : errno);
}

std::string meet_on_loopback() {
  const os::Fd server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const os::Fd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool met = bind(server.get(), generic, size) == 0 && listen(server.get(), 1) == 0 &&
                   getsockname(server.get(), generic, &size) == 0 && connects(client, address);
  return met ? "met" : answer_of(errno);
}

std::string change_addresses() {
  constexpr uint32_t kOther = 0xc0000201;  // 192.0.2.1
  return answer_of(add_address(kOther));
}

}  // namespace paddock::sandbox
