#include "controller/http_server/answer_head.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/log.h"
#include "common/base/text.h"

namespace paddock::http_server {
namespace {

struct Phrase {
  int status;
  std::string_view text;
};
// RFC 9110 section 15, of what this server says. It is for people: any text will do, or none.
constexpr std::array kPhrases = {
    Phrase{200, "OK"},
    Phrase{201, "Created"},
    Phrase{202, "Accepted"},
    Phrase{204, "No Content"},
    Phrase{206, "Partial Content"},
    Phrase{304, "Not Modified"},
    Phrase{307, "Temporary Redirect"},
    Phrase{308, "Permanent Redirect"},
    Phrase{400, "Bad Request"},
    Phrase{401, "Unauthorized"},
    Phrase{403, "Forbidden"},
    Phrase{404, "Not Found"},
    Phrase{405, "Method Not Allowed"},
    Phrase{406, "Not Acceptable"},
    Phrase{408, "Request Timeout"},
    Phrase{409, "Conflict"},
    Phrase{410, "Gone"},
    Phrase{411, "Length Required"},
    Phrase{412, "Precondition Failed"},
    Phrase{413, "Content Too Large"},
    Phrase{414, "URI Too Long"},
    Phrase{415, "Unsupported Media Type"},
    Phrase{416, "Range Not Satisfiable"},
    Phrase{417, "Expectation Failed"},
    Phrase{421, "Misdirected Request"},
    Phrase{422, "Unprocessable Content"},
    Phrase{429, "Too Many Requests"},
    Phrase{431, "Request Header Fields Too Large"},
    Phrase{500, "Internal Server Error"},
    Phrase{501, "Not Implemented"},
    Phrase{502, "Bad Gateway"},
    Phrase{503, "Service Unavailable"},
    Phrase{504, "Gateway Timeout"},
    Phrase{505, "HTTP Version Not Supported"},
    Phrase{507, "Insufficient Storage"},
};

std::string_view phrase_of(int status) {
  const auto found = std::ranges::find(kPhrases, status, &Phrase::status);
  return found == kPhrases.end() ? std::string_view() : found->text;
}

bool is_sendable(std::string_view name, std::string_view value) {
  const auto is_bad = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  };
  return !name.empty() && name.find_first_of(": \t") == std::string_view::npos &&
         std::ranges::none_of(name, is_bad) && std::ranges::none_of(value, is_bad);
}

bool is_framing(std::string_view key) {
  return key == "content-length" || key == "transfer-encoding" || key == "connection" ||
         key == "keep-alive";
}

bool has_body(const Response& response) { return is_stream(response) || !response.body.empty(); }

bool add_header(const std::string& name, const std::string& value, std::string& head) {
  const bool sendable = is_sendable(name, value);
  if (sendable) {
    head.append(name).append(": ").append(value).append("\r\n");
  } else {
    log_error("a handler made a header that cannot be sent", {{"header", to_utf8_lossy(name)}});
  }
  return sendable;
}

void add_framing(const BodyForm& body, std::string& head) {
  switch (body.framing) {
    case Framing::kNone:
      break;
    case Framing::kLength:
      head += cat("Content-Length: ", body.length, "\r\n");
      break;
    case Framing::kChunked:
      head += "Transfer-Encoding: chunked\r\n";
      break;
  }
}

}  // namespace

BodyForm body_form(const Response& response) {
  if (response.status == 204 || response.status == 304) return {};
  if (!is_stream(response)) return {Framing::kLength, response.body.size()};
  if (response.steps) return {Framing::kChunked, 0};
  for (const auto& [name, value] : response.headers) {
    if (ascii_lower(name) != "content-length") continue;
    if (const auto length = parse_integer<uint64_t>(value)) return {Framing::kLength, *length};
  }
  return {Framing::kChunked, 0};
}

std::string answer_head(const Response& response, const BodyForm& body, bool close,
                        const std::string& wall_date) {
  std::string head;
  head.reserve(512);
  head += cat("HTTP/1.1 ", response.status, " ", phrase_of(response.status), "\r\n");
  bool has_options = false;
  bool has_cache_control = false;
  for (const auto& [name, value] : response.headers) {
    const std::string key = ascii_lower(name);
    if (is_framing(key) || !add_header(name, value, head)) continue;
    has_options = has_options || key == "x-content-type-options";
    has_cache_control = has_cache_control || key == "cache-control";
  }
  if (body.framing != Framing::kNone && has_body(response))
    add_header("Content-Type", response.content_type, head);
  if (!has_options) head += "X-Content-Type-Options: nosniff\r\n";
  if (!has_cache_control) head += "Cache-Control: no-store\r\n";
  if (!wall_date.empty()) add_header("Date", wall_date, head);
  if (close) head += "Connection: close\r\n";
  add_framing(body, head);
  return head += "\r\n";
}

std::string upgrade_head(const Response& response) {
  std::string head =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  for (const auto& [name, value] : response.headers) {
    const std::string key = ascii_lower(name);
    if (!is_framing(key) && key != "upgrade") add_header(name, value, head);
  }
  return head += "\r\n";
}

}  // namespace paddock::http_server
