// Writes answers as HTTP/1.1 (RFC 9112). Framing is decided here alone: what a handler says of it
// is not sent. Thread-safe.
#pragma once

#include <functional>

#include "common/base/time.h"
#include "controller/http_server/http_message.h"
#include "controller/http_server/transport.h"

namespace paddock::http_server {

struct AnswerForm {
  bool head_only = false;  // an answer to HEAD
  bool close = false;      // tell the client that the connection ends here
};

class Codec {
 public:
  // `wall` is what answers are dated by; empty: they have no date.
  explicit Codec(std::function<WallTime()> wall = {}) : wall_(std::move(wall)) {}
  // Returns whether the whole answer went out; if not, the connection cannot be used again.
  // `client` is whom a stream is told of.
  bool write(Transport& transport, Response response, AnswerForm form,
             const DisconnectToken& client = {}) const;

 private:
  std::function<WallTime()> wall_;
};

}  // namespace paddock::http_server
