#include "controller/http_server/request_rules.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::http_server {
namespace {

const std::string* header(const RequestHead& head, const std::string& name) {
  const auto found = head.headers.find(name);
  return found == head.headers.end() ? nullptr : &found->second;
}

Status read_content_length(const std::string& text, RequestHead& head) {
  const bool digits =
      !text.empty() && text.size() <= 18 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return header_error("content-length", "a Content-Length must be digits only");
  head.body_length = parse_integer<int64_t>(text).value_or(0);
  return {};
}

Status read_body_framing(RequestHead& head) {
  const std::string* length = header(head, "content-length");
  const std::string* encoding = header(head, "transfer-encoding");
  if (length != nullptr && encoding != nullptr) {
    return header_error("transfer-encoding",
                        "Content-Length and Transfer-Encoding exclude each other");
  }
  if (length != nullptr) TRY(read_content_length(*length, head));
  if (encoding != nullptr) {
    if (ascii_lower(*encoding) != "chunked") {
      return invalid_argument("TRANSFER_ENCODING_UNSUPPORTED",
                              "the only Transfer-Encoding known here is chunked",
                              "transfer-encoding");
    }
    head.body_length = -1;
  }
  const bool bodiless = head.method == "GET" || head.method == "HEAD" || head.method == "OPTIONS";
  if (bodiless && head.body_length != 0) {
    return invalid_argument("BODY_NOT_ALLOWED",
                            cat("a ", head.method, " request may not have a body"));
  }
  return {};
}

Status read_expectation(RequestHead& head) {
  const std::string* expect = header(head, "expect");
  if (expect == nullptr) return {};
  if (ascii_lower(*expect) != "100-continue") {
    return invalid_argument("EXPECTATION_UNSUPPORTED",
                            "the only expectation known here is 100-continue", "expect");
  }
  head.expects_continue = head.body_length != 0;
  return {};
}

}  // namespace

Error header_error(std::string_view name, std::string message) {
  return invalid_argument("HEADER_INVALID", std::move(message), std::string(name));
}

Status apply_rules(RequestHead& head) {
  const std::string* host = header(head, "host");
  if (host == nullptr || host->empty()) return header_error("host", "a request must name its Host");
  TRY(read_body_framing(head));
  TRY(read_expectation(head));
  const std::string* encoding = header(head, "content-encoding");
  if (encoding != nullptr && ascii_lower(*encoding) != "identity") {
    return invalid_argument("CONTENT_ENCODING_UNSUPPORTED",
                            "bodies must be sent without a Content-Encoding", "content-encoding");
  }
  if (const std::string* connection = header(head, "connection"); connection != nullptr) {
    for (const std::string& word : split(ascii_lower(*connection), ',')) {
      if (trim(word) == "close") head.wants_close = true;
    }
  }
  return {};
}

}  // namespace paddock::http_server
