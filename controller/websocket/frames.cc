#include "controller/websocket/frames.h"

#include <sys/types.h>
#include <wslay/wslay.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "common/base/result.h"

namespace paddock::websocket {
namespace {

constexpr size_t kMostUnsent = size_t{64} << 10;  // frames are made as they can be sent
constexpr size_t kMessageCost = 128;              // of one that waits, beside its bytes

const uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

}  // namespace

struct Frames::Context {
  explicit Context(OnMessage message) : on_message(std::move(message)) {}
  ~Context() { wslay_event_context_free(wslay); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  static Context& of(void* self) { return *static_cast<Context*>(self); }
  static ssize_t take(wslay_event_context_ptr wslay, uint8_t* into, size_t size, int, void* self) {
    std::string_view& in = of(self).in;
    if (in.empty()) {
      wslay_event_set_error(wslay, WSLAY_ERR_WOULDBLOCK);
      return -1;
    }
    const size_t count = std::min(size, in.size());
    std::memcpy(into, in.data(), count);
    in.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  static ssize_t give(wslay_event_context_ptr wslay, const uint8_t* bytes, size_t size, int,
                      void* self) {
    std::string& out = of(self).out;
    const size_t count = std::min(size, kMostUnsent - std::min(kMostUnsent, out.size()));
    if (count == 0) {
      wslay_event_set_error(wslay, WSLAY_ERR_WOULDBLOCK);
      return -1;
    }
    out.append(reinterpret_cast<const char*>(bytes), count);
    return static_cast<ssize_t>(count);
  }
  static void hear(wslay_event_context_ptr, const wslay_event_on_msg_recv_arg* message,
                   void* self) {
    if (message->opcode == WSLAY_TEXT_FRAME || message->opcode == WSLAY_BINARY_FRAME)
      of(self).on_message({reinterpret_cast<const char*>(message->msg), message->msg_length});
  }

  void make() {
    if (out.size() < kMostUnsent && wslay_event_want_write(wslay) != 0 &&
        wslay_event_send(wslay) != 0)
      broken = true;
  }

  const OnMessage on_message;
  std::string_view in;
  std::string out;
  size_t sent = 0;  // of it
  std::optional<CloseCode> closing;
  bool broken = false;
  wslay_event_context_ptr wslay = nullptr;
};

Frames::Frames(size_t most, OnMessage on_message)
    : context_(std::make_unique<Context>(std::move(on_message))) {
  constexpr wslay_event_callbacks kCallbacks{&Context::take, &Context::give, nullptr,       nullptr,
                                             nullptr,        nullptr,        &Context::hear};
  if (wslay_event_context_server_init(&context_->wslay, &kCallbacks, context_.get()) != 0)
    panic("no memory for a WebSocket");
  wslay_event_config_set_max_recv_msg_length(context_->wslay, most);
}

Frames::~Frames() = default;

void Frames::take(std::string_view bytes) {
  context_->in = bytes;
  if (wslay_event_recv(context_->wslay) != 0) context_->broken = true;
  context_->in = {};
}

void Frames::send(std::string_view message) {
  const wslay_event_msg sent{WSLAY_BINARY_FRAME, bytes_of(message), message.size()};
  (void)wslay_event_queue_msg(context_->wslay, &sent);  // fails after a close, which ends it anyway
}

void Frames::control(uint8_t opcode) {
  const wslay_event_msg sent{opcode, nullptr, 0};
  (void)wslay_event_queue_msg(context_->wslay, &sent);
}

void Frames::ping() { control(WSLAY_PING); }
void Frames::pong() { control(WSLAY_PONG); }

void Frames::close(CloseCode code) { context_->closing = code; }

// A close overtakes what waits in libwslay, which then is never sent: so it is the last to come
// there.
std::string_view Frames::unsent() {
  Context& own = *context_;
  if (own.sent > 0) own.out.erase(0, std::exchange(own.sent, 0));
  own.make();
  if (own.closing && wslay_event_get_queued_msg_count(own.wslay) == 0) {
    const auto code = static_cast<uint16_t>(*std::exchange(own.closing, std::nullopt));
    (void)wslay_event_queue_close(own.wslay, code, nullptr, 0);
    own.make();
  }
  return own.out;
}

void Frames::sent(size_t bytes) { context_->sent += bytes; }

// Frames that were still queued when a close was sent are never sent, so they do not count.
size_t Frames::queued() const {
  const size_t made = context_->out.size() - context_->sent;
  if (wslay_event_want_write(context_->wslay) == 0) return made;
  return made + wslay_event_get_queued_msg_length(context_->wslay) +
         kMessageCost * wslay_event_get_queued_msg_count(context_->wslay);
}

bool Frames::reads() const {
  return !context_->broken && wslay_event_want_read(context_->wslay) != 0;
}

bool Frames::over() {
  const bool all_sent = unsent().empty() && wslay_event_want_write(context_->wslay) == 0;
  return context_->broken || (!reads() && all_sent);
}

}  // namespace paddock::websocket
