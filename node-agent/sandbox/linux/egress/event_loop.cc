#include "node-agent/sandbox/linux/egress/event_loop.h"

#include <errno.h>

#include <array>

namespace paddock::sandbox {

Result<EventLoop> EventLoop::make() {
  os::Fd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return system_error("making an event loop", errno);
  return EventLoop(std::move(epoll));
}

EventLoop::Token EventLoop::add(int fd, uint32_t events, Ready ready) {
  const Token token = next_++;
  watched_[token] = {fd, 0, std::make_shared<Ready>(std::move(ready))};
  want(token, events);
  return token;
}

void EventLoop::want(Token token, uint32_t events) {
  const auto found = watched_.find(token);
  if (found == watched_.end() || found->second.events == events) return;
  Watched& watched = found->second;
  epoll_event event{};
  event.events = events;
  event.data.u64 = token;
  const int operation = watched.events == 0 ? EPOLL_CTL_ADD
                        : events == 0       ? EPOLL_CTL_DEL
                                            : EPOLL_CTL_MOD;
  // Fails only without memory; a deadline then ends the connection.
  (void)epoll_ctl(epoll_.get(), operation, watched.fd, &event);
  watched.events = events;
}

void EventLoop::remove(Token token) {
  want(token, 0);
  watched_.erase(token);
}

void EventLoop::step(int timeout_ms) {
  std::array<epoll_event, 64> events;
  const int count =
      epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
  for (int i = 0; i < count; ++i) {
    const Token token = events[static_cast<size_t>(i)].data.u64;  // a copy: it is not aligned there
    const auto found = watched_.find(token);
    if (found == watched_.end()) continue;
    const std::shared_ptr<Ready> ready = found->second.ready;  // it may remove itself
    (*ready)();
  }
}

}  // namespace paddock::sandbox
