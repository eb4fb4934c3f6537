// A point in time by which I/O must be done. Transport code, so it reads the monotonic clock
// itself.
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

namespace paddock::http_server {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline in_ms(int64_t ms) {
    return Deadline(Clock::now() + std::chrono::milliseconds(ms));
  }
  Deadline later_by_ms(int64_t ms) const { return Deadline(at_ + std::chrono::milliseconds(ms)); }
  Deadline earlier_of(Deadline other) const { return Deadline(std::min(at_, other.at_)); }
  // The time that is left, in the form that poll() takes, rounded up; 0 when it is over.
  int left_ms() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, std::numeric_limits<int>::max()));
  }
  bool over() const { return Clock::now() >= at_; }
  auto operator<=>(const Deadline&) const = default;  // the earlier one is less

 private:
  explicit Deadline(Clock::time_point at) : at_(at) {}
  Clock::time_point at_;
};

}  // namespace paddock::http_server
