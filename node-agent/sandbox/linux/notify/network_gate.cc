#include "node-agent/sandbox/linux/notify/network_gate.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace paddock::sandbox {
namespace {

constexpr uint64_t kLongestAddress = sizeof(sockaddr_storage);
constexpr uint64_t kMostMessages = 64;

// The address of a call that leaves the run's reach; none if the call may go on, or fails itself.
std::optional<SocketAddress> address_beyond(const NotifyingThread& caller, NetworkCall call,
                                            uint64_t address, uint64_t length,
                                            const NetworkReach& reach, GateAnswer& out) {
  if (address == 0 || length == 0) return std::nullopt;
  auto read = read_socket_address(
      caller.read(address, std::min<uint64_t>(static_cast<uint32_t>(length), kLongestAddress)),
      call);
  if (!read) {
    if (out.error == 0) out.error = EFAULT;
    return std::nullopt;
  }
  if (!stays_inside(call, *read, reach)) return read;
  const bool sends = call == NetworkCall::kConnect || call == NetworkCall::kSend;
  const bool leads_out = reach.broker || !reach.gateway.empty();
  if (leads_out && sends && !read->local) out.broker_user = caller.executable();
  return std::nullopt;
}

// `error` is the errno of the refused call.
void refuse(const NotifyingThread& caller, NetworkCall call, const SocketAddress& address,
            const NetworkReach& reach, int error, GateAnswer& out) {
  out.error = error;
  out.denials.push_back(network_denial(call, address, reach, caller.executable()));
}

// Judges one address of a call by the run's reach. `error` is the errno of a refused call.
void judge_address(const NotifyingThread& caller, NetworkCall call, uint64_t address,
                   uint64_t length, const NetworkReach& reach, int error, GateAnswer& out) {
  const auto beyond = address_beyond(caller, call, address, length, reach, out);
  if (beyond) refuse(caller, call, *beyond, reach, error, out);
}

// Whether the socket may take an address that an ended connection still has: servers ask for that.
bool is_a_servers(const NotifyingThread& caller, int number) {
  const os::Fd socket = caller.descriptor(number);
  int reuses = 0;
  socklen_t size = sizeof reuses;
  return !socket.valid() ||
         getsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &reuses, &size) != 0 || reuses != 0;
}

void judge_bind(const NotifyingThread& caller, const seccomp_data& call, const NetworkReach& reach,
                GateAnswer& out) {
  const auto& args = call.args;
  const auto beyond = address_beyond(caller, NetworkCall::kBind, args[1], args[2], reach, out);
  if (!beyond) return;
  if (asks_for_ipv6(*beyond) && !is_a_servers(caller, static_cast<int>(args[0]))) {
    out.error = EADDRNOTAVAIL;
    return;
  }
  refuse(caller, NetworkCall::kBind, *beyond, reach, EACCES, out);
}

// The beginning of a struct msghdr, where the address is named.
struct MessageStart {
  uint64_t name = 0;
  uint32_t name_length = 0;
};
constexpr size_t kStartBytes = 12;

void judge_start(const NotifyingThread& caller, std::string_view bytes, const NetworkReach& reach,
                 GateAnswer& out) {
  MessageStart start;
  if (bytes.size() < kStartBytes) {
    if (out.error == 0) out.error = EFAULT;
    return;
  }
  std::memcpy(&start.name, bytes.data(), sizeof start.name);
  std::memcpy(&start.name_length, bytes.data() + sizeof start.name, sizeof start.name_length);
  judge_address(caller, NetworkCall::kSend, start.name, start.name_length, reach, ENETUNREACH, out);
}

// Judges the first messages, for as long as one question is worth. The others reach nothing either,
// but they are not recorded.
void judge_messages(const NotifyingThread& caller, uint64_t messages, uint64_t count,
                    const NetworkReach& reach, GateAnswer& out) {
  count = std::min<uint64_t>(static_cast<uint32_t>(count), kMostMessages);
  const std::string heads = caller.read(messages, count * sizeof(mmsghdr));
  for (uint64_t i = 0; i < count && !caller.keeps_us(); ++i) {
    const size_t at = std::min(heads.size(), i * sizeof(mmsghdr));
    judge_start(caller, std::string_view(heads).substr(at, kStartBytes), reach, out);
    if (out.error == EFAULT) break;
  }
}

// Judges a listen(). Without a bind() the kernel chooses the address, so the socket is asked for
// it.
void judge_listen(const NotifyingThread& caller, int number, const NetworkReach& reach,
                  GateAnswer& out) {
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
  refuse(caller, NetworkCall::kListen, *address, reach, EACCES, out);
}

}  // namespace

GateAnswer judge_network_call(const NotifyingThread& caller, const seccomp_data& call,
                              const NetworkReach& reach) {
  GateAnswer out;
  const auto& args = call.args;
  switch (call.nr) {
    case SYS_connect:
      judge_address(caller, NetworkCall::kConnect, args[1], args[2], reach, ENETUNREACH, out);
      break;
    case SYS_bind:
      judge_bind(caller, call, reach, out);
      break;
    case SYS_sendto:
      judge_address(caller, NetworkCall::kSend, args[4], args[5], reach, ENETUNREACH, out);
      break;
    case SYS_sendmsg:
      judge_start(caller, caller.read(args[1], kStartBytes), reach, out);
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
