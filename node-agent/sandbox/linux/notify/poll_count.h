// Counts how many descriptors the threads of a run wait for in calls of poll and select. While such
// a call waits, the kernel keeps some 72 bytes for each, also if all are one descriptor, and
// charges them to nobody. A thread waits in one call at a time, so what its last one named is the
// most that it holds. Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>

namespace paddock::sandbox {

class PollCount {
 public:
  // Of all threads together: some 32 MiB. Calls that name fewer than kFew are not counted: they
  // hold about as much as a thread costs in memory that is counted.
  static constexpr int64_t kMost = 466'000;
  static constexpr uint32_t kFew = 256;

  // Of a select without sets, as programs sleep: six bits for each number below `numbers`. A
  // descriptor in a set holds 96 times as much.
  static constexpr uint32_t of_empty_select(uint32_t numbers) { return numbers / 96; }

  bool has_room(pid_t thread, uint32_t descriptors) const {
    return held_ - of(thread) + descriptors <= kMost;
  }
  void note(pid_t thread, uint32_t descriptors) {
    held_ += int64_t{descriptors} - of(thread);
    by_thread_[thread] = descriptors;
  }
  // Of those who wait in no such call any more nothing is held. A number can be another thread's
  // later: then too much is counted, and never too little.
  void forget_unless(const std::function<bool(pid_t)>& may_wait) {
    std::erase_if(by_thread_, [&](const auto& each) {
      if (may_wait(each.first)) return false;
      held_ -= each.second;
      return true;
    });
  }
  int64_t held() const { return held_; }
  size_t threads() const { return by_thread_.size(); }

 private:
  int64_t of(pid_t thread) const {
    const auto known = by_thread_.find(thread);
    return known == by_thread_.end() ? 0 : int64_t{known->second};
  }

  int64_t held_ = 0;
  std::map<pid_t, uint32_t> by_thread_;  // its last call that names many
};

}  // namespace paddock::sandbox
