// How many interpreters should wait. Pure: times in, a number out. A request that finds none
// doubles the number, a minute in which some were never needed takes one away.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/time.h"

namespace paddock::snippets {

class PoolPace {
 public:
  PoolPace(int64_t fewest, int64_t most, MonoTime now)
      : fewest_(std::min(fewest, most)), most_(most), target_(fewest_), since_(now) {}

  int64_t target() const { return target_; }
  // One was asked for; `left`: how many wait now, -1: there was none.
  void asked(int64_t left, MonoTime now) {
    used_ = true;
    last_use_ = now;
    spare_ = std::min(spare_, std::max<int64_t>(left, 0));
    if (left >= 0) return;
    target_ = std::min(std::max<int64_t>(target_ * 2, 1), most_);
    since_ = now;
    spare_ = target_;
  }
  void tick(MonoTime now) {
    if (now - since_ < kLook) return;
    if (spare_ > 0 && target_ > floor(now)) --target_;
    since_ = now;
    spare_ = target_;
  }

 private:
  static constexpr Millis kLook{60'000};
  static constexpr Millis kForgotten{600'000};
  // The fewest sandboxes to keep warm: at least one if the pool was used lately.
  int64_t floor(MonoTime now) const {
    const bool lately = used_ && now - last_use_ < kForgotten;
    return lately ? std::min(std::max<int64_t>(fewest_, 1), most_) : fewest_;
  }

  int64_t fewest_;
  int64_t most_;
  int64_t target_;
  int64_t spare_ = 0;  // the fewest that waited since then
  bool used_ = false;
  MonoTime since_;
  MonoTime last_use_{};
};

}  // namespace paddock::snippets
