// What a handler sees of HTTP.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "controller/base/disconnect_token.h"

namespace paddock::http_server {

// The body of a request, unread until a handler asks. A small rest that is already there is skipped
// after the handler; with a larger one the connection closes.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // The declared length, or -1 (chunked).
  virtual int64_t length() const = 0;
  // The whole body. TooLarge (BODY_TOO_LARGE) beyond `limit`, decided by the declared length where
  // there is one, before a byte is read. DeadlineExceeded (BODY_TOO_SLOW), BODY_INCOMPLETE.
  virtual Result<std::string> read(size_t limit) = 0;
  // The body in pieces.
  virtual Status stream(size_t limit, const std::function<Status(std::string_view)>& take) = 0;
};

struct Request {
  std::string method;  // HEAD arrives as GET; the server leaves the body out
  std::string path;    // raw, without the query, for logs
  std::vector<std::string>
      segments;  // split at '/', then decoded; none is empty, ".", ".." or has '/' or NUL
  std::vector<std::pair<std::string, std::string>> query;  // in order, decoded
  std::map<std::string, std::string> headers;              // lower-case names
  BodyReader* body = nullptr;
  bool over_unix_socket = false;
  // Of the run whose tool gateway it came by: then it is good for that run's tool tokens and
  // nothing else (common/contracts/tool_gateway.h). Empty: it came by none.
  std::string gateway_run;
  bool inner = false;  // asked by a handler, on the connection of the request that it answers
  // Gone once it hung up or the server stops. Valid during the call only.
  DisconnectToken client;

  std::string header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::string() : found->second;
  }
  std::optional<std::string> parameter(std::string_view name) const {
    for (const auto& [key, value] : query) {
      if (key == name) return value;
    }
    return std::nullopt;
  }
};

// Where a streaming response goes. write() returns false once the client is gone or the server
// stops.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  virtual bool write(std::string_view bytes) = 0;
  // True while it makes sense to go on; cheap, sees a closed connection without writing.
  virtual bool open() const = 0;
  // Who reads it; gone once it is no longer open.
  DisconnectToken client() const {
    return {[this] { return open(); }, when_gone()};
  }

 private:
  // Of the connection that it goes to.
  virtual DisconnectToken::WhenGone when_gone() const { return {}; }
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // When set, the body is what this writes (flushed at each write); it returns when it is done.
  // Chunked, unless `headers` has a content-length: then exactly so many bytes, or the client sees
  // a broken answer. Not called for HEAD.
  std::function<void(ResponseStream&)> stream;
  std::shared_ptr<void> held;  // let go of when the answer is written, or was given up
};

// Called on a connection's own thread, many at a time. Must not throw.
using Handler = std::function<Response(Request&)>;

}  // namespace paddock::http_server
