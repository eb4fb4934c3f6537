#include "node-agent/sandbox/linux/canary_loopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/loopback.h"

namespace paddock::sandbox {
namespace {

std::string answer_of(bool done, int error = errno) {
  if (done) return "succeeded";
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

}  // namespace

std::string connect_to_port(uint16_t port) {
  const os::Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return answer_of(fd.valid() && connects(fd, loopback(port)));
}

std::string meet_on_loopback() {
  const os::Fd server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const os::Fd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool met = bind(server.get(), generic, size) == 0 && listen(server.get(), 1) == 0 &&
                   getsockname(server.get(), generic, &size) == 0 && connects(client, address);
  return met ? "met" : answer_of(false);
}

std::string change_addresses() {
  constexpr uint32_t kOther = 0xc0000201;  // 192.0.2.1
  const int error = add_loopback_address(kOther);
  return answer_of(error == 0, error);
}

}  // namespace paddock::sandbox
