// The frames of a client's WebSocket (RFC 6455), by libwslay: the client's bytes in and messages
// out, and the other way. Does no I/O. One thread; stays where it is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace paddock::websocket {

enum class CloseCode : uint16_t {
  kNormal = 1000,
  kGoingAway = 1001,
  kPolicy = 1008,
  kInternal = 1011,
};

class Frames {
 public:
  // A whole message, binary or text (UTF-8); valid during the call, which must not throw.
  using OnMessage = std::function<void(std::string_view)>;
  // A message of more than `most` bytes is closed with 1009.
  Frames(size_t most, OnMessage on_message);
  ~Frames();
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  // The next bytes of the client. Pings are answered. What breaks the protocol begins the close,
  // and nothing is read after that.
  void take(std::string_view bytes);
  // A binary message. Not after close().
  void send(std::string_view message);
  void ping();
  void pong();  // that we live, unasked
  // Once: behind all that was sent. After it nothing but the client's own close means anything.
  void close(CloseCode code);

  // The next bytes for the client; valid until the next call of anything else.
  std::string_view unsent();
  void sent(size_t bytes);
  // About so many bytes wait, with what each message costs.
  size_t queued() const;
  // Whether anything that comes may still be told.
  bool reads() const;
  // Nothing more is to be read, and nothing to be sent.
  bool over();

 private:
  struct Context;
  void control(uint8_t opcode);

  const std::unique_ptr<Context> context_;
};

}  // namespace paddock::websocket
