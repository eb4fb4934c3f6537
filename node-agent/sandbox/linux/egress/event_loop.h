// One thread's wait for many descriptors (epoll). A handler may add and remove any of them, itself
// included; an event that was already on its way to a removed one is dropped. Not thread-safe.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "common/os/fd.h"

namespace paddock::sandbox {

class EventLoop {
 public:
  using Ready = std::function<void()>;
  using Token = uint64_t;  // never used twice, never 0

  static Result<EventLoop> make();
  // The descriptor stays the caller's, who removes it before closing it. With no `events` it is
  // known but not waited for: not even its end is noticed.
  Token add(int fd, uint32_t events, Ready ready);
  void want(Token token, uint32_t events);
  void remove(Token token);
  // Waits at most so long (-1: for ever) and calls the handlers of what is ready.
  void step(int timeout_ms);

 private:
  struct Watched {
    int fd = -1;
    uint32_t events = 0;
    std::shared_ptr<Ready> ready;
  };
  explicit EventLoop(os::Fd epoll) : epoll_(std::move(epoll)) {}

  os::Fd epoll_;
  Token next_ = 1;
  std::map<Token, Watched> watched_;
};

}  // namespace paddock::sandbox
