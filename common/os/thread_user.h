// The calling thread as another user, where the kernel lets a thread be one: Linux, root.
#pragma once

#include <sys/types.h>

#include <optional>

namespace paddock::os {

// Touches files as `uid` and the group of the same number, with no more rights than that user has,
// until destroyed. Absent, or on another system than Linux: as we are.
class ThreadUser {
 public:
  explicit ThreadUser(std::optional<uid_t> uid);
  ~ThreadUser();
  ThreadUser(const ThreadUser&) = delete;
  ThreadUser& operator=(const ThreadUser&) = delete;

 private:
  [[maybe_unused]] bool changed_ = false;  // on Linux
};

}  // namespace paddock::os
