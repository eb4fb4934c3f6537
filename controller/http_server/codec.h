// Writes answers as HTTP/1.1 (RFC 9112). Framing is decided here alone: what a handler says of it
// is not sent. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/base/time.h"
#include "controller/http_server/http_message.h"
#include "controller/http_server/transport.h"

namespace paddock::http_server {

struct AnswerForm {
  bool head_only = false;  // an answer to HEAD
  bool close = false;      // tell the client that the connection ends here
};

// How a piece of a stream, and the stream's end, are written on the wire.
std::string chunk_of(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// Whether an answer is not all said when it is written.
bool has_steps(const Response& response, AnswerForm form);

class Codec {
 public:
  // `wall` is what answers are dated by; empty: they have no date.
  explicit Codec(std::function<WallTime()> wall = {}) : wall_(std::move(wall)) {}
  // Returns whether the whole answer went out; if not, the connection cannot be used again. Where
  // steps follow (has_steps), what comes before them did.
  // `client` is whom a stream is told of.
  bool write(Transport& transport, Response response, AnswerForm form,
             const DisconnectToken& client = {}) const;

 private:
  std::function<WallTime()> wall_;
};

}  // namespace paddock::http_server
