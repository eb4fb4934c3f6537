// The head of an answer: status line and headers, with the framing of the body that follows. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "controller/http_server/http_message.h"

namespace paddock::http_server {

// How the body says where it ends. (RFC 9112 section 6)
enum class Framing { kNone, kLength, kChunked };

struct BodyForm {
  Framing framing = Framing::kNone;
  uint64_t length = 0;
};

// 204 and 304 have no body, whatever the handler made. A stream is chunked unless its handler
// announced a length and no steps follow it.
BodyForm body_form(const Response& response);

// The head of an answer, up to the empty line that ends it. `wall_date` is the value of the Date
// header, empty for none.
std::string answer_head(const Response& response, const BodyForm& body, bool close,
                        const std::string& wall_date);

// The head that turns the connection into a WebSocket (RFC 6455), with the answer's headers.
std::string upgrade_head(const Response& response);

}  // namespace paddock::http_server
