#include "node-agent/sandbox/egress/addresses.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

struct Special {
  uint32_t base;
  int bits;
};

constexpr uint32_t quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return (a << 24) | (b << 16) | (c << 8) | d;
}

constexpr Special kNotPublic4[] = {
    {quad(0, 0, 0, 0), 8},        // this network
    {quad(10, 0, 0, 0), 8},       // private
    {quad(100, 64, 0, 0), 10},    // carrier-grade NAT
    {quad(127, 0, 0, 0), 8},      // loopback
    {quad(169, 254, 0, 0), 16},   // link-local, cloud metadata
    {quad(172, 16, 0, 0), 12},    // private
    {quad(192, 0, 0, 0), 24},     // protocol assignments
    {quad(192, 0, 2, 0), 24},     // documentation
    {quad(192, 31, 196, 0), 24},  // AS112
    {quad(192, 52, 193, 0), 24},  // AMT
    {quad(192, 88, 99, 0), 24},   // 6to4 relays
    {quad(192, 168, 0, 0), 16},   // private
    {quad(192, 175, 48, 0), 24},  // AS112
    {quad(198, 18, 0, 0), 15},    // benchmarks
    {quad(198, 51, 100, 0), 24},  // documentation
    {quad(203, 0, 113, 0), 24},   // documentation
    {quad(224, 0, 0, 0), 4},      // multicast
    {quad(240, 0, 0, 0), 4},      // reserved, broadcast
};

// Of IPv6 only 2000::/3 is public, but for these. All else (::/3 with the IPv4 forms, NAT64,
// fc00::/7, fe80::/10, ff00::/8) is refused as a whole.
constexpr std::pair<std::array<uint8_t, 4>, int> kNotPublic6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23},  // protocol assignments, Teredo
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x20, 0x02, 0x00, 0x00}, 16},  // 6to4: any IPv4 address
    {{0x26, 0x20, 0x00, 0x4f}, 32},  // direct delegation AS112 (2620:4f:8000::/48)
    {{0x3f, 0xff, 0x00, 0x00}, 20},  // documentation
};

bool same_prefix(const uint8_t* a, const uint8_t* b, int bits) {
  const int whole = bits / 8;
  if (std::memcmp(a, b, static_cast<size_t>(whole)) != 0) return false;
  if (bits % 8 == 0) return true;
  const int shift = 8 - bits % 8;
  return (a[whole] >> shift) == (b[whole] >> shift);
}

Error bad(std::string_view what, std::string_view text) {
  return invalid_argument("INVALID_ADDRESS", cat("'", text, "' is not ", what));
}

}  // namespace

IpAddress ipv4(uint32_t number) {
  IpAddress out;
  for (size_t i = 0; i < 4; ++i) out.bytes[i] = static_cast<uint8_t>(number >> (24 - 8 * i));
  return out;
}

uint32_t ipv4_number(const IpAddress& address) {
  return quad(address.bytes[0], address.bytes[1], address.bytes[2], address.bytes[3]);
}

std::optional<IpAddress> parse_ip(std::string_view text) {
  const std::string word(text);
  if (word.find('\0') != std::string::npos) return std::nullopt;
  IpAddress out;
  if (inet_pton(AF_INET, word.c_str(), out.bytes.data()) == 1) return out;
  out.v6 = true;
  if (inet_pton(AF_INET6, word.c_str(), out.bytes.data()) == 1) return out;
  return std::nullopt;
}

std::string to_text(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
  return text;
}

std::string to_text(const IpAddress& address, uint16_t port) {
  return address.v6 ? cat("[", to_text(address), "]:", port) : cat(to_text(address), ":", port);
}

bool is_public(const IpAddress& address) {
  const uint8_t* bytes = address.bytes.data();
  if (!address.v6) {
    const uint32_t number = ipv4_number(address);
    return std::ranges::none_of(kNotPublic4, [&](const Special& special) {
      return (number >> (32 - special.bits)) == (special.base >> (32 - special.bits));
    });
  }
  if ((bytes[0] >> 5) != 1) return false;
  return std::ranges::none_of(kNotPublic6, [&](const auto& each) {
    return same_prefix(bytes, each.first.data(), each.second);
  });
}

Result<IpRange> parse_range(std::string_view text) {
  constexpr std::string_view kWanted = "a range such as 10.1.0.0/16 or fd00::/8";
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return bad(kWanted, text);
  const auto base = parse_ip(text.substr(0, slash));
  const auto bits = parse_integer<int>(text.substr(slash + 1));
  if (!base || !bits || *bits < 0 || *bits > (base->v6 ? 128 : 32)) return bad(kWanted, text);
  return IpRange{*base, *bits};
}

bool contains(const IpRange& range, const IpAddress& address) {
  return range.base.v6 == address.v6 &&
         same_prefix(range.base.bytes.data(), address.bytes.data(), range.bits);
}

bool may_reach(const IpAddress& address, const std::vector<IpRange>& allowed) {
  return is_public(address) || std::ranges::any_of(allowed, [&](const IpRange& range) {
           return contains(range, address);
         });
}

Result<Endpoint> parse_endpoint(std::string_view text, uint16_t default_port) {
  constexpr std::string_view kWanted = "an address such as 9.9.9.9, 9.9.9.9:53 or [2620:fe::fe]:53";
  if (const auto whole = parse_ip(text)) return Endpoint{*whole, default_port};
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad(kWanted, text);
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto address = parse_ip(host);
  const auto port = parse_integer<uint16_t>(text.substr(colon + 1));
  if (!address || address->v6 != bracketed || !port || *port == 0) return bad(kWanted, text);
  return Endpoint{*address, *port};
}

SocketName socket_name(const Endpoint& endpoint) {
  SocketName out;
  if (endpoint.address.v6) {
    sockaddr_in6 name{};
    name.sin6_family = AF_INET6;
    name.sin6_port = htons(endpoint.port);
    std::memcpy(&name.sin6_addr, endpoint.address.bytes.data(), 16);
    std::memcpy(&out.storage, &name, out.size = sizeof name);
  } else {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(endpoint.port);
    std::memcpy(&name.sin_addr, endpoint.address.bytes.data(), 4);
    std::memcpy(&out.storage, &name, out.size = sizeof name);
  }
  return out;
}

std::optional<Endpoint> from_socket_name(const sockaddr_storage& storage) {
  Endpoint out;
  if (storage.ss_family == AF_INET) {
    sockaddr_in name{};
    std::memcpy(&name, &storage, sizeof name);
    std::memcpy(out.address.bytes.data(), &name.sin_addr, 4);
    out.port = ntohs(name.sin_port);
    return out;
  }
  if (storage.ss_family == AF_INET6) {
    sockaddr_in6 name{};
    std::memcpy(&name, &storage, sizeof name);
    out.address.v6 = true;
    std::memcpy(out.address.bytes.data(), &name.sin6_addr, 16);
    out.port = ntohs(name.sin6_port);
    return out;
  }
  return std::nullopt;
}

}  // namespace paddock::sandbox
