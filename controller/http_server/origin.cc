#include "controller/http_server/origin.h"

#include <arpa/inet.h>

#include <algorithm>

#include "common/base/text.h"
#include "controller/http_server/request_rules.h"

namespace paddock::http_server {
namespace {

bool is_ipv6(const std::string& text) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

bool is_ipv4(const std::string& text) {
  in_addr address{};
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1;
}

bool is_host_name(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';
  });
}

bool changes_state(const std::string& method) {
  return method != "GET" && method != "HEAD" && method != "OPTIONS";
}

bool asks_more_than_reading(const RequestHead& head) {
  return changes_state(head.method) || head.headers.contains("upgrade");
}

Error origin_denied() {
  return {
      Code::kPermissionDenied,
      "ORIGIN_DENIED",
      "a page of another origin may not change anything here",
      {{"origin", "must be this server's own address, or one of the controller's allowedOrigins"}}};
}

Status check_own_origin(const std::string& origin, const Authority& host, bool tls) {
  const std::string_view scheme = tls ? "https://" : "http://";
  if (!origin.starts_with(scheme)) return origin_denied();
  const int default_port = tls ? 443 : 80;
  const auto from = parse_authority(std::string_view(origin).substr(scheme.size()));
  if (!from || from->host != host.host) return origin_denied();
  const int from_port = from->port < 0 ? default_port : from->port;
  const int host_port = host.port < 0 ? default_port : host.port;
  return from_port == host_port ? Status() : Status(origin_denied());
}

}  // namespace

std::optional<Authority> parse_authority(std::string_view text) {
  Authority out;
  size_t host_end = std::min(text.find(':'), text.size());
  if (text.starts_with('[')) {
    const size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) return std::nullopt;
    out.host = ascii_lower(text.substr(1, bracket - 1));
    host_end = bracket + 1;
    if (!is_ipv6(out.host)) return std::nullopt;
  } else {
    out.host = ascii_lower(text.substr(0, host_end));
    if (out.host.ends_with('.')) out.host.pop_back();
    if (!is_host_name(out.host)) return std::nullopt;
  }
  const std::string_view rest = text.substr(host_end);
  if (rest.empty()) return out;
  const auto port = parse_integer<uint16_t>(rest.substr(1));
  if (rest[0] != ':' || !port) return std::nullopt;
  out.port = *port;
  return out;
}

bool is_loopback_name(std::string_view host) {
  const std::string text(host);
  if (text == "localhost" || text.ends_with(".localhost") || text == "::1") return true;
  return is_ipv4(text) && text.starts_with("127.");
}

Status check_origin(const RequestHead& head, const OwnNames& own,
                    const std::vector<std::string>& named) {
  const auto host = parse_authority(head.headers.at("host"));
  if (!host) return header_error("host", "the Host header is not a host with an optional port");
  const bool known = own.any || is_loopback_name(host->host) ||
                     std::find(own.hosts.begin(), own.hosts.end(), host->host) != own.hosts.end();
  if (!known) {
    return invalid_argument("HOST_DENIED",
                            "this server does not answer to that Host; an operator can allow it",
                            "host");
  }
  const auto origin = head.headers.find("origin");
  if (origin == head.headers.end() || !asks_more_than_reading(head)) return {};
  if (std::ranges::count(named, origin->second) > 0) return {};
  // A proxy that passes requests on to a socket file speaks for its own pages, under its own
  // scheme.
  const bool tls = own.any ? origin->second.starts_with("https://") : own.tls;
  return check_own_origin(origin->second, *host, tls);
}

}  // namespace paddock::http_server
