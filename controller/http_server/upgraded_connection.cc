#include "controller/http_server/upgraded_connection.h"

#include <algorithm>
#include <utility>

#include "common/os/event.h"
#include "controller/http_server/stop_signal.h"

namespace paddock::http_server {

class UpgradedConnection::EventWaker final : public Waker {
 public:
  explicit EventWaker(os::Event event) : event_(std::move(event)) {}
  void wake() override { event_.raise(); }
  void clear() const { event_.clear(); }
  int fd() const { return event_.fd(); }

 private:
  const os::Event event_;
};

Result<std::unique_ptr<UpgradedConnection>> UpgradedConnection::make(Transport& transport,
                                                                     Input& input) {
  ASSIGN_OR_RETURN(os::Event event, StopSignal::make_event());
  return std::unique_ptr<UpgradedConnection>(
      new UpgradedConnection(transport, input, std::make_shared<EventWaker>(std::move(event))));
}

std::optional<size_t> UpgradedConnection::read(char* into, size_t size) {
  if (!input_.empty()) {
    const size_t count = std::min(size, input_.bytes().size());
    std::copy_n(input_.bytes().data(), count, into);
    input_.consume(count);
    if (input_.empty()) input_.release();
    return count;
  }
  size_t got = 0;
  if (!transport_.read_some(into, size, got)) return std::nullopt;
  return got;
}

std::optional<size_t> UpgradedConnection::write(std::string_view bytes) {
  size_t sent = 0;
  const SendState state = transport_.write_some(bytes, sent);
  write_wants_read_ = state == SendState::kWantsRead;
  if (state == SendState::kClosed) return std::nullopt;
  return sent;
}

bool UpgradedConnection::write_last(std::string_view bytes) {
  return transport_.write_all(bytes) == IoState::kOk;
}

bool UpgradedConnection::wait(Wants wants, Millis limit) {
  if (wants.read && !input_.empty()) return !transport_.stopping();
  const bool read = wants.read || (wants.write && write_wants_read_);
  const bool write = wants.write && !write_wants_read_;
  const IoState state =
      transport_.wait_both({read, write}, waker_->fd(), Deadline::in_ms(limit.count()));
  waker_->clear();
  return state == IoState::kOk || state == IoState::kTooSlow;
}

std::shared_ptr<Waker> UpgradedConnection::waker() { return waker_; }

}  // namespace paddock::http_server
