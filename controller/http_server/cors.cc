#include "controller/http_server/cors.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/http_server/origin.h"

namespace paddock::http_server {
namespace {

constexpr std::string_view kTls = "https://";
constexpr std::string_view kPlain = "http://";
constexpr const char* kAllowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE";
constexpr const char* kHeaders =
    "Authorization, Content-Type, Accept, Idempotency-Key, If-Match, Last-Event-ID, Cache-Control";
constexpr const char* kKeptSeconds = "600";

bool has(const Response& response, std::string_view name) {
  return std::ranges::any_of(response.headers,
                             [&](const auto& each) { return each.first == name; });
}

}  // namespace

bool is_origin(std::string_view text) {
  const bool tls = text.starts_with(kTls);
  if (!tls && !text.starts_with(kPlain)) return false;
  const std::string_view rest = text.substr((tls ? kTls : kPlain).size());
  const auto authority = parse_authority(rest);
  if (!authority || rest != ascii_lower(rest) || authority->host.empty()) return false;
  return authority->port != (tls ? 443 : 80) && (tls || is_loopback_name(authority->host));
}

std::string allowed_origin(const RequestHead& head, const std::vector<std::string>& allowed) {
  const auto origin = head.headers.find("origin");
  const bool known =
      origin != head.headers.end() && std::ranges::count(allowed, origin->second) > 0;
  return known ? origin->second : "";
}

std::optional<Response> preflight(const RequestHead& head, const std::string& origin) {
  const bool asks =
      head.method == "OPTIONS" && head.headers.count("access-control-request-method") > 0;
  if (origin.empty() || !asks) return std::nullopt;
  Response response;
  response.status = 204;
  response.headers = {{"access-control-allow-methods", kAllowedMethods},
                      {"access-control-allow-headers", kHeaders},
                      {"access-control-max-age", kKeptSeconds}};
  return response;
}

void open_to(const std::string& origin, Response& response) {
  if (origin.empty() || has(response, "access-control-allow-origin")) return;
  response.headers.emplace_back("access-control-allow-origin", origin);
  response.headers.emplace_back("access-control-expose-headers", "Retry-After");
  if (!has(response, "vary")) response.headers.emplace_back("vary", "Origin");
}

}  // namespace paddock::http_server
