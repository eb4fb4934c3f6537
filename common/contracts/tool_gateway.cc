#include "common/contracts/tool_gateway.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::contracts {
namespace {

constexpr size_t kUidBytes = 36;
constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
// Version 2, LOCAL; no address; 39 bytes follow: one field of a type left to its users, of 36.
constexpr std::string_view kShape("\x20\x00\x00\x27\xe0\x00\x24", 7);
static_assert(kGatewayHeaderBytes == kSignature.size() + kShape.size() + kUidBytes);

bool is_uid(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-'; });
}

// `host`, `host:port`, `[v6]:port`.
std::optional<UrlPlace> read_place(std::string_view text, int default_port) {
  const bool bracketed = text.starts_with('[');
  const size_t end = bracketed ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) return std::nullopt;
  UrlPlace out{ascii_lower(text.substr(bracketed ? 1 : 0, bracketed ? end - 1 : end)),
               default_port};
  const std::string_view rest = text.substr(bracketed ? end + 1 : end);
  if (!rest.empty()) {
    const auto port = parse_integer<uint16_t>(rest.substr(1));
    if (rest[0] != ':' || !port) return std::nullopt;
    out.port = *port;
  }
  return out.host.empty() || out.port == 0 ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

std::optional<UrlPlace> place_of_url(std::string_view url) {
  const bool tls = url.starts_with("https://");
  if (!tls && !url.starts_with("http://")) return std::nullopt;
  url.remove_prefix(url.find("//") + 2);
  url = url.substr(0, url.find_first_of("/?#"));
  if (url.find('@') != std::string_view::npos) return std::nullopt;
  return read_place(url, tls ? 443 : 80);
}

std::string gateway_header(std::string_view run_uid) { return cat(kSignature, kShape, run_uid); }

GatewayHeader read_gateway_header(std::string_view bytes) {
  using enum GatewayHeader::State;
  if (bytes.substr(0, kSignature.size()) != kSignature.substr(0, bytes.size())) return {};
  if (bytes.size() < kSignature.size()) return {kNeedMore, {}};
  const std::string_view shape = bytes.substr(kSignature.size(), kShape.size());
  if (shape != kShape.substr(0, shape.size())) return {kBad, {}};
  if (bytes.size() < kGatewayHeaderBytes) return {kNeedMore, {}};
  const std::string_view uid = bytes.substr(kSignature.size() + kShape.size(), kUidBytes);
  return is_uid(uid) ? GatewayHeader{kRun, std::string(uid)} : GatewayHeader{kBad, {}};
}

}  // namespace paddock::contracts
