#include "node-agent/sandbox/linux/network_gate.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>

namespace paddock::sandbox {
namespace {

constexpr uint64_t kLongestAddress = sizeof(sockaddr_storage);
constexpr uint64_t kMostMessages = 1024;  // the kernel's own bound

// One address of a call against what may be reached. `error`: what the call gives if it may not.
void judge_address(const Caller& caller, NetworkCall call, uint64_t address, uint64_t length,
                   const NetworkReach& reach, int error, GateAnswer& out) {
  if (address == 0 || length == 0) return;  // the kernel finds no address there, or a fault
  const auto read = read_socket_address(
      caller.read(address, std::min<uint64_t>(static_cast<uint32_t>(length), kLongestAddress)),
      call);
  if (!read) {
    if (out.error == 0) out.error = EFAULT;
    return;
  }
  if (stays_inside(call, *read, reach)) {
    const bool sends = call == NetworkCall::kConnect || call == NetworkCall::kSend;
    if (reach.broker && sends && !read->local) out.broker_user = caller.executable();
    return;
  }
  out.error = error;
  out.denials.push_back(network_denial(call, *read, reach, caller.executable()));
}

// What the kernel reads of a struct msghdr to find the address.
struct MessageStart {
  uint64_t name = 0;
  uint32_t name_length = 0;
};

void judge_message(const Caller& caller, uint64_t message, const NetworkReach& reach,
                   GateAnswer& out) {
  MessageStart start;
  const std::string bytes = caller.read(message, 12);
  if (bytes.size() < 12) {
    if (out.error == 0) out.error = EFAULT;
    return;
  }
  std::memcpy(&start.name, bytes.data(), 8);
  std::memcpy(&start.name_length, bytes.data() + 8, 4);
  judge_address(caller, NetworkCall::kSend, start.name, start.name_length, reach, ENETUNREACH, out);
}

void judge_messages(const Caller& caller, uint64_t messages, uint64_t count,
                    const NetworkReach& reach, GateAnswer& out) {
  count = std::min<uint64_t>(static_cast<uint32_t>(count), kMostMessages);
  for (uint64_t i = 0; i < count; ++i) {
    judge_message(caller, messages + i * sizeof(mmsghdr), reach, out);
    if (out.error == EFAULT) break;
  }
}

// listen() without bind() takes an address of its own: the socket itself tells its family.
void judge_listen(const Caller& caller, int number, const NetworkReach& reach, GateAnswer& out) {
  const os::Fd socket = caller.descriptor(number);
  int family = AF_UNSPEC;
  socklen_t size = sizeof family;
  if (!socket.valid() || getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &family, &size) != 0 ||
      family == AF_UNIX)
    return;
  sockaddr_storage own{};
  size = sizeof own;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) return;
  const auto address =
      read_socket_address({reinterpret_cast<const char*>(&own), std::min<size_t>(size, sizeof own)},
                          NetworkCall::kListen);
  if (!address || stays_inside(NetworkCall::kListen, *address, reach)) return;
  out.error = EACCES;
  out.denials.push_back(network_denial(NetworkCall::kListen, *address, reach, caller.executable()));
}

}  // namespace

GateAnswer judge_network_call(const Caller& caller, const seccomp_data& call,
                              const NetworkReach& reach) {
  GateAnswer out;
  const auto& args = call.args;
  switch (call.nr) {
    case SYS_connect:
      judge_address(caller, NetworkCall::kConnect, args[1], args[2], reach, ENETUNREACH, out);
      break;
    case SYS_bind:
      judge_address(caller, NetworkCall::kBind, args[1], args[2], reach, EACCES, out);
      break;
    case SYS_sendto:
      judge_address(caller, NetworkCall::kSend, args[4], args[5], reach, ENETUNREACH, out);
      break;
    case SYS_sendmsg:
      judge_message(caller, args[1], reach, out);
      break;
    case SYS_sendmmsg:
      judge_messages(caller, args[1], args[2], reach, out);
      break;
    case SYS_listen:
      judge_listen(caller, static_cast<int>(args[0]), reach, out);
      break;
    case SYS_socket: {
      SocketAnswer answer = judge_socket(args[0], args[1], args[2], reach, caller.executable());
      out.error = answer.error;
      if (answer.denial) out.denials.push_back(std::move(*answer.denial));
      break;
    }
    default:
      out.error = ENOSYS;
  }
  return out;
}

}  // namespace paddock::sandbox
