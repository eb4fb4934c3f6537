// Waiting that another thread can end for good. Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>

#include "common/base/units.h"

namespace paddock::client {

class InterruptiblePause {
 public:
  // True if the whole time passed; false if interrupt() was called, before or meanwhile.
  bool wait(Millis time) {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, time, [&] { return interrupted_; });
  }
  void interrupt() {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    changed_.notify_all();
  }
  bool interrupted() const {
    const std::lock_guard lock(mutex_);
    return interrupted_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool interrupted_ = false;
};

}  // namespace paddock::client
