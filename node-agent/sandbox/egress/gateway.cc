#include "node-agent/sandbox/egress/gateway.h"

#include <algorithm>

#include "node-agent/sandbox/egress/host_name.h"

namespace paddock::sandbox {
namespace {

IpAddress loopback_six() {
  IpAddress out;
  out.v6 = true;
  out.bytes[15] = 1;
  return out;
}

Error fault(const char* what) { return invalid_argument("INVALID_GATEWAY", what); }

// The name is checked because it becomes a part of a line of /etc/hosts.
bool is_plain_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

// Names that the sandbox has itself (etc_files.cc), whatever host is called so.
bool is_own_name(std::string_view host) { return host == "localhost" || host == kHostName; }

// The addresses at which a program looks for that host.
std::vector<IpAddress> places_of(const std::string& host) {
  if (const auto ip = parse_ip(host)) return {*ip};
  if (is_own_name(host)) return {ipv4(0x7f000001), loopback_six()};
  return {gateway_place()};
}

}  // namespace

// 127.0.0.1 is the command's own.
IpAddress gateway_place() { return ipv4(0x7f000002); }  // 127.0.0.2

bool is_loopback(const IpAddress& address) {
  return address.v6 ? address == loopback_six() : ipv4_number(address) >> 24 == 127;
}

Result<Gateway> read_gateway(const contracts::ToolGateway& gateway) {
  const bool is_address = parse_ip(gateway.host).has_value();
  if (!is_address && !is_plain_name(gateway.host))
    return fault("the controller's host is no name and no address");
  Gateway out{.host = gateway.host, .port = static_cast<uint16_t>(gateway.port)};
  if (!is_address && !is_own_name(gateway.host)) out.name = gateway.host;
  for (const IpAddress& place : places_of(gateway.host)) out.inside.push_back({place, out.port});
  for (const std::string& text : gateway.addresses) {
    const auto address = parse_ip(text);
    if (!address) return fault("an address of the controller is none");
    out.addresses.push_back(*address);
  }
  if (gateway.run_uid.size() != 36) return fault("the run's uid is none");
  out.header = contracts::gateway_header(gateway.run_uid);
  return out;
}

}  // namespace paddock::sandbox
