// Guarded<T>: data that can only be reached while its lock is held.
#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

namespace paddock {

template <class T>
class Guarded {
 public:
  template <class... Args>
  explicit Guarded(Args&&... args) : value_(std::forward<Args>(args)...) {}

  // Calls `use(T&)` with the lock held and returns what it returns. Do not block inside.
  template <class Use>
  auto with(Use&& use) {
    std::lock_guard lock(mutex_);
    return std::forward<Use>(use)(value_);
  }
  template <class Use>
  auto with(Use&& use) const {
    std::lock_guard lock(mutex_);
    return std::forward<Use>(use)(value_);
  }
  // Waits on `changed` until `ready(T&)` or the time is over; then calls `use(T&, bool ready)`.
  template <class Rep, class Period, class Ready, class Use>
  auto wait_for(std::condition_variable& changed, std::chrono::duration<Rep, Period> limit,
                Ready&& ready, Use&& use) {
    std::unique_lock lock(mutex_);
    const bool in_time = changed.wait_for(lock, limit, [&] { return ready(value_); });
    return std::forward<Use>(use)(value_, in_time);
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

}  // namespace paddock
