#include "node-agent/sandbox/linux/egress/broker_sockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstring>

#include "common/os/passed_fds.h"
#include "node-agent/sandbox/linux/egress/broker_process.h"
#include "node-agent/sandbox/linux/kernel/loopback.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

constexpr int kBacklog = 512;
constexpr int kInsideBuffer = 32 << 10;  // inside the sandbox the way is short
constexpr size_t kMostGateways = 2;      // localhost has two addresses
constexpr size_t kMostSockets = contracts::kMostPorts + 2 + kMostGateways;
constexpr size_t kControlBytes = CMSG_SPACE(kMostSockets * sizeof(int));

Result<os::Fd> make_socket(int type, const Endpoint& endpoint) {
  const int family = endpoint.address.v6 ? AF_INET6 : AF_INET;
  os::Fd fd(socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const SocketName name = socket_name(endpoint);
  if (!fd.valid() || bind(fd.get(), name.get(), name.size) != 0)
    return step_error("making the broker's sockets", errno);
  if (type != SOCK_STREAM) return fd;
  for (const int buffer : {SO_RCVBUF, SO_SNDBUF})
    setsockopt(fd.get(), SOL_SOCKET, buffer, &kInsideBuffer, sizeof kInsideBuffer);
  if (listen(fd.get(), kBacklog) != 0) return step_error("making the broker's sockets", errno);
  return fd;
}

// What listens on that port anywhere takes it along. A host may have no IPv6: then localhost is the
// other one alone.
Status add_gateway(const Gateway& gateway, const std::set<uint16_t>& ports,
                   std::vector<os::Fd>& out) {
  const size_t before = out.size();
  for (const Endpoint& place : gateway.inside) {
    if (!place.address.v6 && ports.contains(place.port)) return {};
    if (!is_loopback(place.address)) TRY(add_loopback_address(place.address));
    auto listener = make_socket(SOCK_STREAM, place);
    if (!listener.ok() && out.size() == before) return listener.error();
    if (listener.ok()) out.push_back(std::move(*listener));
  }
  return {};
}

Result<std::vector<os::Fd>> make_sockets(const BrokerRules& rules) {
  std::vector<os::Fd> out;
  for (const int type : {SOCK_DGRAM, SOCK_STREAM}) {
    ASSIGN_OR_RETURN(os::Fd dns, make_socket(type, {ipv4(INADDR_LOOPBACK), contracts::kDnsPort}));
    out.push_back(std::move(dns));
  }
  const std::set<uint16_t> ports = contracts::ports_of(rules.domains);
  for (const uint16_t port : ports) {
    ASSIGN_OR_RETURN(os::Fd listener, make_socket(SOCK_STREAM, {ipv4(INADDR_ANY), port}));
    out.push_back(std::move(listener));
  }
  if (rules.gateway) TRY(add_gateway(*rules.gateway, ports, out));
  return out;
}

bool send_all(int to, const std::vector<os::Fd>& sockets) {
  char byte = 'S';
  iovec part{&byte, 1};
  alignas(cmsghdr) char space[kControlBytes] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  std::vector<int> fds;
  for (const os::Fd& each : sockets) fds.push_back(each.get());
  os::attach_fds(message, fds);
  return sendmsg(to, &message, MSG_NOSIGNAL) == 1;
}

std::vector<os::Fd> receive_all(int from) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char space[kControlBytes] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1) return {};
  return os::take_fds(message);
}

}  // namespace

Status connect_broker(const BrokerConfig& config, int broker) {
  ASSIGN_OR_RETURN(const BrokerRules rules, read_rules(config));
  TRY(bring_up_loopback());
  ASSIGN_OR_RETURN(const std::vector<os::Fd> sockets, make_sockets(rules));
  char byte = 0;
  if (!send_all(broker, sockets) || recv(broker, &byte, 1, 0) != 1)
    return step_error("handing over to the network broker", EPIPE);
  return {};
}

std::optional<BrokerSockets> take_sockets(int sandbox, size_t listeners) {
  std::vector<os::Fd> all = receive_all(sandbox);
  if (all.size() < listeners + 2) return std::nullopt;
  BrokerSockets out;
  out.dns_udp = std::move(all[0]);
  out.dns_tcp = std::move(all[1]);
  for (size_t i = 2; i < all.size(); ++i) out.listeners.push_back(std::move(all[i]));
  const char byte = 'K';
  if (send(sandbox, &byte, 1, MSG_NOSIGNAL) != 1) return std::nullopt;
  return out;
}

}  // namespace paddock::sandbox
