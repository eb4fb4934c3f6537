#include <algorithm>
#include <optional>

#include "common/base/text.h"
#include "common/contracts/domain_rule.h"
#include "node-agent/sandbox/egress/first_bytes.h"

namespace paddock::sandbox {
namespace {

using State = FirstBytes::State;

FirstBytes bad_request(std::string why) { return {State::kBad, "", std::move(why)}; }

bool is_token(std::string_view text) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kSigns.find(c) != std::string_view::npos;
  });
}

// No control character but a tab in a value: a bare CR or LF is a line end to some servers.
bool is_clean(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

// `name` or `name:80`.
std::optional<std::string> authority_name(std::string_view text) {
  if (text.ends_with(":80")) text.remove_suffix(3);
  return contracts::host_name(text);
}

// The name in the target of an absolute-form request, "" where there is none.
std::optional<std::string> target_name(std::string_view target) {
  if (target.starts_with('/') || target == "*") return std::string();
  constexpr std::string_view kScheme = "http://";
  if (ascii_lower(target.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  const std::string_view rest = target.substr(kScheme.size());
  return authority_name(rest.substr(0, rest.find_first_of("/?#")));
}

}  // namespace

FirstBytes read_http_host(std::string_view bytes) {
  const size_t end = bytes.find("\r\n\r\n");
  const std::string_view head = bytes.substr(0, end);
  // A head that is wrong already is refused before its end has come.
  const size_t method_end = head.find(' ');
  if (!is_token(head.substr(0, method_end)) && !head.empty())
    return bad_request("the connection does not begin with an HTTP request");
  if (end == std::string_view::npos) {
    if (bytes.size() >= kMostFirstBytes) return bad_request("the HTTP request's head is too long");
    return {};
  }
  std::vector<std::string> lines = split(head, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i + 1 < lines.size() && (!lines[i].ends_with('\r')))
      return bad_request("the HTTP request has a line that ends in a bare line feed");
    if (lines[i].ends_with('\r')) lines[i].pop_back();
    if (!is_clean(lines[i])) return bad_request("the HTTP request has a control character");
  }
  const std::vector<std::string> words = split(lines[0], ' ');
  if (words.size() != 3 || !words[2].starts_with("HTTP/1."))
    return bad_request("the connection does not begin with an HTTP/1 request");
  const auto target = target_name(words[1]);
  if (!target) return bad_request("the HTTP request's target is not on this host");
  std::optional<std::string> host;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
      return bad_request("the HTTP request has a header that cannot be read");
    if (ascii_lower(line.substr(0, colon)) != "host") continue;
    if (host) return bad_request("the HTTP request names its host twice");
    host = authority_name(trim(line.substr(colon + 1)));
    if (!host) return bad_request("the HTTP request's Host is not a name");
  }
  if (!host) return bad_request("the HTTP request has no Host");
  if (!target->empty() && *target != *host) return bad_request("the HTTP request names two hosts");
  return {State::kName, std::move(*host), ""};
}

}  // namespace paddock::sandbox
