// Tells once of something that can be read: a signal, the end of a parent.
#pragma once

#include <functional>
#include <thread>

#include "common/os/event.h"

namespace paddock::agent {

// Calls `then` once something can be read from `fd`, from a thread of its own, until destroyed.
class WhenReadable {
 public:
  WhenReadable(int fd, std::function<void()> then);
  ~WhenReadable();
  WhenReadable(const WhenReadable&) = delete;
  WhenReadable& operator=(const WhenReadable&) = delete;

 private:
  os::Event end_;
  std::thread thread_;
};

}  // namespace paddock::agent
