// IP addresses, and which of them a sandbox may be led to. Pure.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::sandbox {

struct IpAddress {
  bool v6 = false;
  std::array<uint8_t, 16> bytes{};  // IPv4 in the first four
  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

IpAddress ipv4(uint32_t host_order);
uint32_t ipv4_number(const IpAddress& address);
std::optional<IpAddress> parse_ip(std::string_view text);  // the usual notation only
std::string to_text(const IpAddress& address);
std::string to_text(const IpAddress& address, uint16_t port);  // `1.2.3.4:80`, `[::1]:80`

// Whether the whole Internet means the same machine by it: nothing private, local, shared,
// reserved, for documentation, multicast, or an IPv4 address in IPv6 clothes.
// (IANA special-purpose registries)
bool is_public(const IpAddress& address);

struct IpRange {
  IpAddress base;
  int bits = 0;
};
Result<IpRange> parse_range(std::string_view text);  // `10.1.0.0/16`, `fd00::/8`
bool contains(const IpRange& range, const IpAddress& address);

// Public, or in a range that the operator allows.
bool may_reach(const IpAddress& address, const std::vector<IpRange>& allowed);

struct Endpoint {
  IpAddress address;
  uint16_t port = 0;
};
// `9.9.9.9`, `9.9.9.9:5353`, `2620:fe::fe`, `[2620:fe::fe]:5353`.
Result<Endpoint> parse_endpoint(std::string_view text, uint16_t default_port);

struct SocketName {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};
SocketName socket_name(const Endpoint& endpoint);
std::optional<Endpoint> from_socket_name(const sockaddr_storage& name);

}  // namespace paddock::sandbox
