// Tells every thread of the server to stop: a flag to ask and a descriptor to poll. Thread-safe.
#pragma once

#include <atomic>

#include "common/base/result.h"
#include "common/os/event.h"

namespace paddock::http_server {

class StopSignal {
 public:
  static Result<os::Event> make_event();
  // Of an event that was made just now: whether there was a descriptor for it.
  static Status check(const os::Event& event);

  explicit StopSignal(os::Event event) : event_(std::move(event)) {}
  void raise();
  bool raised() const { return raised_.load(std::memory_order_acquire); }
  // Readable from raise() on, for ever.
  int fd() const { return event_.fd(); }

 private:
  os::Event event_;
  std::atomic<bool> raised_{false};
};

}  // namespace paddock::http_server
