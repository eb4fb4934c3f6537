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
#include "common/base/units.h"
#include "controller/base/disconnect_token.h"
#include "controller/base/waker.h"

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
  // The run whose tool gateway the request came by. Then it may use only that run's tool tokens
  // (common/contracts/tool_gateway.h). Empty: it came by no gateway.
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
  // What was written is not all, and no more comes: the client is to see a broken answer, and not
  // take it for a whole one.
  virtual void break_off() {}
  // Who reads it; gone once it is no longer open.
  DisconnectToken client() const {
    return {[this] { return open(); }, when_gone()};
  }

 private:
  // Tells when the connection is gone that the stream goes to.
  virtual DisconnectToken::WhenGone when_gone() const { return {}; }
};

// What goes on being said after an answer has begun, step by step: between two steps it holds no
// thread. One step, or one question, at a time, on any thread.
class Steps {
 public:
  virtual ~Steps() = default;
  enum class Then {
    kAgain,   // there is more: once what it wrote is sent
    kAsk,     // ask() is next, once what it wrote is sent
    kWait,    // nothing, until the waker is called or `limit` has passed
    kEnd,     // that was all
    kBroken,  // the rest cannot be told: the client sees that the answer is broken off
  };
  struct Next {
    Then then;
    Millis limit{0};
  };
  // Writes what there is, some 64 KiB at most, and then waits for nobody: others have their turn on
  // this thread. So it reads no store and no disk. What it writes is kept until the client takes
  // it, and before that there is no other step; none at all once the client is gone or the server
  // stops. Before kWait it has seen to it that `waker` is called when there is news: it is the same
  // one each time, a call too many does no harm, and one while a step is at work makes another one.
  // Must not throw.
  virtual Next step(ResponseStream& out, const std::shared_ptr<Waker>& waker) = 0;
  // After kAsk, in place of a step: asks what has to be asked of somebody who may not answer for
  // long, as the store, and writes as a step does. On a thread that may block; there are few of
  // those, so that others who ask may wait for one, but no step does. Never kWait. Must not throw.
  virtual Next ask(ResponseStream&) { return {Then::kAgain}; }
  // Whether the server may end it between any two steps, as it may news. A document is broken off
  // then, so that nobody takes a part for the whole.
  virtual bool may_end_early() const { return true; }
};

// Both directions of a connection that has left HTTP. One thread, but for the waker.
class Upgraded {
 public:
  virtual ~Upgraded() = default;
  // Up to `size` bytes that the client sent; 0: there is none yet. Nothing: it has hung up.
  virtual std::optional<size_t> read(char* into, size_t size) = 0;
  // As many of them as go without waiting. Nothing: the client is gone.
  virtual std::optional<size_t> write(std::string_view bytes) = 0;
  // All of them, for which it waits as other answers do; while the server stops only for a moment.
  virtual bool write_last(std::string_view bytes) = 0;
  // Until it can do what is wanted, until the waker is called, or until `limit` has passed. False:
  // the client is gone, or has closed its side, or the server stops.
  struct Wants {
    bool read = false;
    bool write = false;
  };
  virtual bool wait(Wants wants, Millis limit) = 0;
  virtual bool stopping() const = 0;
  // Ends a wait. Good for as long as somebody has it.
  virtual std::shared_ptr<Waker> waker() = 0;
};

struct Response;

// An answer that cannot be given yet: it holds no thread until it can.
class HeldAnswer {
 public:
  virtual ~HeldAnswer() = default;
  // How long to wait at most; nothing: it seems due, and settle() is next. Before it says how long,
  // it has seen to it that `waker` is called when there is news, as a step does; then, and when the
  // time has passed, it is asked again. Waits for nobody itself and reads no store, on any thread.
  // Must not throw.
  virtual std::optional<Millis> wait(const std::shared_ptr<Waker>& waker) = 0;
  // Whether it is due: then make() is next, and wait() is not asked again. False: what woke it was
  // no news, and wait() is asked once more. On a thread that may block, so what has to be read is
  // read here. Not asked once the client is gone or the server stops. Must not throw.
  virtual bool settle() { return true; }
  // The answer, which is not held once more: once, when it is due, or as soon as the client is gone
  // or the server stops. On a thread that may block. Must not throw.
  virtual Result<Response> make() = 0;
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
  // When set, the body goes on with these, after `stream` where that is set too. Always chunked.
  std::shared_ptr<Steps> steps;
  // When set, the connection leaves HTTP (101): after the headers it is this one's, on the thread
  // of the connection, and it ends when this returns. Only for a request that asked for it.
  std::function<void(Upgraded&)> upgraded;
  // When set, this is not the answer: that comes later.
  std::shared_ptr<HeldAnswer> later;
  std::shared_ptr<void> held;  // let go of when the answer is written, or was given up
};

inline bool is_stream(const Response& response) {
  return response.stream != nullptr || response.steps != nullptr || response.upgraded != nullptr;
}

// Called on a connection's own thread, many at a time. Must not throw.
using Handler = std::function<Response(Request&)>;

}  // namespace paddock::http_server
