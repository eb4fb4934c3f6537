// Tells every thread of the server to stop: a flag to ask and a descriptor to poll. Thread-safe.
#pragma once

#include <atomic>

#include "common/os/fd.h"

namespace paddock::http_server {

class StopSignal {
 public:
  static Result<os::Fd> make_event();

  explicit StopSignal(os::Fd event) : event_(std::move(event)) {}
  void raise();
  bool raised() const { return raised_.load(std::memory_order_acquire); }
  // Readable from raise() on, for ever.
  int fd() const { return event_.get(); }

 private:
  os::Fd event_;
  std::atomic<bool> raised_{false};
};

}  // namespace paddock::http_server
