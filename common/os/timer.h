// A timer for who waits with poll(). Setting it wakes nobody.
#pragma once

#include <chrono>

#include "common/os/fd.h"

namespace paddock::os {

class Timer {
 public:
  Timer();  // not valid() if the process has no descriptor left
  bool valid() const { return fd_.valid(); }
  // Readable from when it rings until take().
  int fd() const { return fd_.get(); }
  // Once, in place of what was set before. Any thread.
  void schedule(std::chrono::nanoseconds time) const;
  // Whether it has rung since it was set or taken last. Any thread.
  bool take() const;

 private:
  Fd fd_;
};

}  // namespace paddock::os
