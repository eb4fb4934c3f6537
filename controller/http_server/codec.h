// Writes answers. The only code that knows cpp-httplib: its Server is used through
// process_request() and a stream of our own, and is given a request of our own making, so that none
// of its parsing, routing, compression, ranges or body reading ever sees a byte from outside.
// Thread-safe.
#pragma once

#include <memory>

#include "controller/http_server/http_message.h"
#include "controller/http_server/transport.h"

namespace paddock::api {

struct AnswerForm {
  bool head_only = false;  // an answer to HEAD
  bool close = false;      // tell the client that the connection ends here
};

class Codec {
 public:
  Codec();
  ~Codec();
  // Returns whether the whole answer went out; if not, the connection cannot be used again.
  // `client` is whom a stream is told of.
  bool write(Transport& transport, Response response, AnswerForm form,
             const Client& client = {}) const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace paddock::api
