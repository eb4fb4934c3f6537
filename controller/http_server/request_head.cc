#include "controller/http_server/request_head.h"

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/text.h"
#include "controller/http_server/request_rules.h"

namespace paddock::http_server {
namespace {

Error invalid_line(std::string message) {
  return invalid_argument("REQUEST_LINE_INVALID", std::move(message));
}

bool is_name_char(char c) {  // tchar, RFC 9110 section 5.6.2
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_value_char(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

// The text up to the next CRLF, taken off the front of `rest`.
std::string_view take_line(std::string_view& rest) {
  const size_t end = rest.find("\r\n");
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(line.size() + 2, rest.size()));
  return line;
}

bool is_http_version(std::string_view text) {
  return text.size() == 8 && text.starts_with("HTTP/") && text[5] >= '0' && text[5] <= '9' &&
         text[6] == '.' && text[7] >= '0' && text[7] <= '9';
}

Status parse_request_line(std::string_view line, size_t max_path_bytes, RequestHead& head) {
  const std::vector<std::string> parts = split(line, ' ');
  if (parts.size() != 3)
    return invalid_line("the request line must be: method, one space, target, one space, version");
  if (parts[0].empty() || !std::all_of(parts[0].begin(), parts[0].end(), is_name_char)) {
    return invalid_line("the method is not a token");
  }
  if (!is_http_version(parts[2])) return invalid_line("the version must look like HTTP/1.1");
  if (parts[2] != "HTTP/1.1") {
    return invalid_argument("HTTP_VERSION_UNSUPPORTED", "this server speaks HTTP/1.1 only");
  }
  static constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                               "PATCH", "DELETE", "OPTIONS"};
  if (std::find(kMethods.begin(), kMethods.end(), parts[0]) == kMethods.end()) {
    return invalid_argument("METHOD_UNSUPPORTED",
                            "this server knows GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS");
  }
  head.method = parts[0];
  ASSIGN_OR_RETURN(head.target, parse_target(parts[1], max_path_bytes));
  return {};
}

// Names under which servers keep their own facts about a connection: a client may not set them.
bool is_reserved(std::string_view name) {
  return name == "remote_addr" || name == "remote_port" || name == "local_addr" ||
         name == "local_port";
}

// Lists, which may be spread over several lines. (RFC 9110 section 5.3)
bool may_repeat(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kLists = {"accept",
                                                              "accept-charset",
                                                              "accept-encoding",
                                                              "accept-language",
                                                              "cache-control",
                                                              "connection",
                                                              "forwarded",
                                                              "pragma",
                                                              "sec-websocket-protocol",
                                                              "te",
                                                              "trailer",
                                                              "via",
                                                              "x-forwarded-for",
                                                              "x-stream-protocol-version"};
  return std::find(kLists.begin(), kLists.end(), name) != kLists.end();
}

Status parse_header_line(std::string_view line, RequestHead& head) {
  if (line.starts_with(' ') || line.starts_with('\t'))
    return header_error("", "folded header lines are not accepted");
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return header_error("", "a header line has no ':'");
  const std::string_view raw_name = line.substr(0, colon);
  if (raw_name.empty() || !std::all_of(raw_name.begin(), raw_name.end(), is_name_char)) {
    return header_error("", "a header name is not a token");
  }
  const std::string name = ascii_lower(raw_name);
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
  while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
  if (!std::all_of(value.begin(), value.end(), is_value_char) || !is_utf8(value)) {
    return header_error(name, "a header value must be UTF-8 without control characters");
  }
  if (is_reserved(name)) return {};
  const auto [found, added] = head.headers.emplace(name, value);
  if (!added && !may_repeat(name)) return header_error(name, "this header may be sent only once");
  if (!added) found->second += cat(", ", value);
  return {};
}

}  // namespace

Result<size_t> find_head_end(std::string_view arrived, size_t checked, size_t max_bytes) {
  const std::string_view inside = arrived.substr(0, max_bytes);
  for (size_t i = checked; i < inside.size(); ++i) {
    const char c = inside[i];
    if (c == '\0') return header_error("", "NUL may not be sent");
    if (c == '\n' && (i == 0 || inside[i - 1] != '\r'))
      return header_error("", "lines must end with CR LF");
    if (c != '\n' && i > 0 && inside[i - 1] == '\r')
      return header_error("", "a CR must be followed by LF");
    if (c == '\n' && i >= 3 && inside[i - 2] == '\n') return i + 1;
  }
  if (arrived.size() < max_bytes) return size_t{0};
  if (arrived.find('\n') == std::string_view::npos) {
    return Error{Code::kTooLarge, "TARGET_TOO_LONG", "the request line is too long"};
  }
  return Error{Code::kTooLarge, "HEADERS_TOO_LARGE",
               cat("the headers may have at most ", max_bytes, " bytes together")};
}

Result<RequestHead> parse_head(std::string_view text, const HeadLimits& limits) {
  RequestHead head;
  TRY(parse_request_line(take_line(text), limits.max_path_bytes, head));
  for (size_t count = 1; !text.empty(); ++count) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    if (count > limits.max_headers) {
      return Error{Code::kTooLarge, "HEADERS_TOO_LARGE",
                   cat("a request may have at most ", limits.max_headers, " headers")};
    }
    TRY(parse_header_line(line, head));
  }
  TRY(apply_rules(head));
  return head;
}

}  // namespace paddock::http_server
