// The head of a request (request line and headers), validated line by line before anybody uses it:
// what two readers could understand differently is refused. Pure. (RFC 9112)
// Errors: REQUEST_LINE_INVALID, METHOD_UNSUPPORTED, HTTP_VERSION_UNSUPPORTED, TARGET_INVALID,
// TARGET_TOO_LONG, HEADER_INVALID, HEADERS_TOO_LARGE, BODY_NOT_ALLOWED,
// CONTENT_ENCODING_UNSUPPORTED, TRANSFER_ENCODING_UNSUPPORTED, EXPECTATION_UNSUPPORTED.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "controller/http_server/target.h"

namespace paddock::http_server {

struct HeadLimits {
  size_t max_bytes = 32 << 10;
  size_t max_headers = 100;
  size_t max_path_bytes = 1024;
};

struct RequestHead {
  std::string method;  // one that we serve
  Target target;
  std::map<std::string, std::string> headers;  // lower-case names; repeated lists are joined
  int64_t body_length = 0;                     // -1: chunked
  bool expects_continue = false;
  bool wants_close = false;
};

// Looks for the end of the head in what arrived so far: its size including the empty line, or 0
// when it is not there yet. Refuses at once what can never become a head: NUL, a bare CR or LF,
// too many bytes. Bytes before `checked` were seen by an earlier call.
Result<size_t> find_head_end(std::string_view arrived, size_t checked, size_t max_bytes);

// `head` is what find_head_end delimited.
Result<RequestHead> parse_head(std::string_view head, const HeadLimits& limits);

}  // namespace paddock::http_server
