#include "node-agent/sandbox/plan/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "common/base/text.h"
#include "common/contracts/denial_rule.h"
#include "common/contracts/domain_rule.h"
#include "node-agent/sandbox/egress/name_table.h"

namespace paddock::sandbox {
namespace {

template <class T>
std::optional<T> read_as(std::string_view bytes, size_t least) {
  if (bytes.size() < least) return std::nullopt;
  T out{};
  std::memcpy(&out, bytes.data(), std::min(bytes.size(), sizeof out));
  return out;
}

// "Any" is where the kernel then goes to loopback.
void mark_inner(const in_addr& address, SocketAddress& out) {
  const uint32_t number = ntohl(address.s_addr);
  out.loopback = number >> 24 == 127 || number == INADDR_ANY;
  out.synthetic = is_synthetic(ipv4(number));
}

std::optional<SocketAddress> read_four(std::string_view bytes) {
  const auto address = read_as<sockaddr_in>(bytes, offsetof(sockaddr_in, sin_zero));
  if (!address) return std::nullopt;
  char text[INET_ADDRSTRLEN] = {};
  inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
  SocketAddress out;
  out.port = ntohs(address->sin_port);
  out.text = cat(std::string_view(text), ":", out.port);
  out.ip = ipv4(ntohl(address->sin_addr.s_addr));
  mark_inner(address->sin_addr, out);
  return out;
}

std::optional<SocketAddress> read_six(std::string_view bytes) {
  const auto address = read_as<sockaddr_in6>(bytes, offsetof(sockaddr_in6, sin6_scope_id));
  if (!address) return std::nullopt;
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, &address->sin6_addr, text, sizeof text);
  SocketAddress out;
  out.port = ntohs(address->sin6_port);
  out.text = cat("[", std::string_view(text), "]:", out.port);
  out.loopback = IN6_IS_ADDR_LOOPBACK(&address->sin6_addr) != 0 ||
                 IN6_IS_ADDR_UNSPECIFIED(&address->sin6_addr) != 0;
  out.ip.emplace().v6 = true;
  std::memcpy(out.ip->bytes.data(), &address->sin6_addr, out.ip->bytes.size());
  if (IN6_IS_ADDR_V4MAPPED(&address->sin6_addr) != 0) {
    in_addr mapped{};
    std::memcpy(&mapped, &address->sin6_addr.s6_addr[12], sizeof mapped);
    out.ip = ipv4(ntohl(mapped.s_addr));
    mark_inner(mapped, out);
  }
  return out;
}

std::string_view family_name(uint32_t family) {
  switch (family) {
    case AF_KEY:
      return "AF_KEY";
    case AF_NETLINK:
      return "AF_NETLINK";
    case AF_PACKET:
      return "AF_PACKET";
    case AF_CAN:
      return "AF_CAN";
    case AF_TIPC:
      return "AF_TIPC";
    case AF_BLUETOOTH:
      return "AF_BLUETOOTH";
    case AF_ALG:
      return "AF_ALG";
    case AF_VSOCK:
      return "AF_VSOCK";
    case AF_XDP:
      return "AF_XDP";
    default:
      return {};
  }
}

// A program that may not reach a name server is refused before it says which name it looks for.
std::string remedy_without_network(const SocketAddress& address) {
  const bool lookup = address.port == contracts::kDnsPort;
  return cat(
      "set network.enabled and network.allowDomains in the sandbox policy (--allow-domain ",
      lookup ? "HOST: the program's own messages name the host that it looked for)" : "HOST)");
}

std::string what_of(NetworkCall call, const SocketAddress& address) {
  switch (call) {
    case NetworkCall::kConnect:
      return std::string(address.port == 53 ? contracts::kTriedToLookUp
                                            : contracts::kTriedToConnect);
    case NetworkCall::kBind:
    case NetworkCall::kListen:
      return "network listen";
    case NetworkCall::kSend:
      return address.port == 53 ? std::string(contracts::kTriedToLookUp) : "network send";
  }
  return {};
}

// Whether the policy's switch for it is all that is missing.
bool loopback_would_do(NetworkCall call, const SocketAddress& address, NetworkReach reach) {
  reach.loopback = true;
  return stays_inside(call, address, reach);
}

// The C library tries addresses with port 0 to put them in order.
bool is_gateway(NetworkCall call, const SocketAddress& address, const NetworkReach& reach) {
  if (call == NetworkCall::kBind || call == NetworkCall::kListen) return false;
  return std::ranges::any_of(reach.gateway, [&](const Endpoint& place) {
    return address.ip == place.address && (address.port == 0 || address.port == place.port);
  });
}

bool asks_about_own_devices(uint32_t family, uint32_t protocol) {
  return family == AF_NETLINK && protocol == NETLINK_ROUTE;
}

contracts::Denial socket_denial(std::string target, std::string executable) {
  return {"socket", std::move(target), std::move(executable),
          "only local, TCP and UDP sockets exist", "nothing: no sandboxed program may make one"};
}

}  // namespace

std::optional<SocketAddress> read_socket_address(std::string_view bytes, NetworkCall call) {
  const auto family = read_as<sa_family_t>(bytes, sizeof(sa_family_t));
  if (!family) return std::nullopt;
  switch (*family) {
    case AF_UNIX:
      return SocketAddress{.local = true, .text = "local socket"};
    case AF_NETLINK:  // the kernel, about this namespace, or nobody
      return SocketAddress{.local = true, .text = "netlink"};
    case AF_UNSPEC:
      // connect() to it undoes an earlier connect; any other call takes it for AF_INET.
      if (call == NetworkCall::kConnect) return SocketAddress{.local = true, .text = "nothing"};
      return read_four(bytes);
    case AF_INET:
      return read_four(bytes);
    case AF_INET6:
      return read_six(bytes);
    default:
      return SocketAddress{.text = cat("address family ", int{*family})};
  }
}

bool stays_inside(NetworkCall call, const SocketAddress& address, const NetworkReach& reach) {
  if (address.local || is_gateway(call, address, reach)) return true;
  if (!address.loopback) return false;
  if (call == NetworkCall::kBind || call == NetworkCall::kListen) return reach.loopback;
  const bool name = reach.broker && address.synthetic;
  if (address.port == contracts::kDnsPort) return reach.broker && !name;
  if (!name) return reach.loopback;
  // The C library tries addresses with port 0 to put them in order.
  return address.port == 0 || std::ranges::find(reach.ports, address.port) != reach.ports.end();
}

bool asks_for_ipv6(const SocketAddress& bound) {
  return bound.text == "[::1]:0" || bound.text == "[::ffff:127.0.0.1]:0";
}

contracts::Denial network_denial(NetworkCall call, const SocketAddress& address,
                                 const NetworkReach& reach, std::string executable) {
  contracts::Denial denial;
  denial.what = what_of(call, address);
  denial.target = address.text;
  denial.executable = std::move(executable);
  if (loopback_would_do(call, address, reach)) {
    denial.rule = contracts::rule_name(contracts::DenialRule::kLoopbackOff);
    denial.remedy =
        "set network.loopback: true in the sandbox policy (--loopback on); it leads nowhere else";
    return denial;
  }
  denial.rule = contracts::rule_name(reach.broker ? contracts::DenialRule::kDomains
                                                  : contracts::DenialRule::kNetworkOff);
  denial.remedy =
      !reach.broker ? remedy_without_network(address)
      : address.synthetic
          ? cat("add the name with :", address.port, " to network.allowDomains")
          : "connect by a name that network.allowDomains lists; addresses are not reached";
  return denial;
}

SocketAnswer judge_socket(uint64_t family, uint64_t type, uint64_t protocol,
                          const NetworkReach& reach, std::string executable) {
  // The kernel reads three ints.
  const auto number = static_cast<uint32_t>(family);
  const auto kind = static_cast<uint32_t>(type) & 0xf;
  const auto third = static_cast<uint32_t>(protocol);
  // Every getaddrinfo() asks for it and does without: told, not reported.
  if (asks_about_own_devices(number, third)) return {reach.loopback ? 0 : EAFNOSUPPORT};
  const auto refused = [&](int error, std::string target) {
    return SocketAnswer{error, socket_denial(std::move(target), std::move(executable))};
  };
  if (number != AF_INET && number != AF_INET6) {
    const std::string_view name = family_name(number);
    return refused(EAFNOSUPPORT, name.empty() ? cat("address family ", number) : std::string(name));
  }
  if (kind == SOCK_STREAM || kind == SOCK_DGRAM)
    return refused(EPROTONOSUPPORT, cat("protocol ", third));
  if (kind == SOCK_RAW) return refused(EPERM, "raw socket");
  return refused(ESOCKTNOSUPPORT, cat("socket type ", kind));
}

}  // namespace paddock::sandbox
