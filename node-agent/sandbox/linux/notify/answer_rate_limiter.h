// How many questions of a command are answered: a command that asks without end, from many threads,
// must not keep the launcher's processor busy. It waits then, and the host does not. Pure.
#pragma once

#include <optional>

#include "common/base/time.h"

namespace paddock::sandbox {

class AnswerRateLimiter {
 public:
  // About a sixth of one processor. An answer costs one, and one more for each record.
  static constexpr int kAnswers = 2000;
  static constexpr Millis kWindow{100};

  void spend(MonoTime now, int cost) {
    if (!began_ || now >= *began_ + kWindow) {
      began_ = now;
      spent_ = 0;
    }
    spent_ += cost;
  }
  // Until when no question is answered.
  std::optional<MonoTime> rests_until(MonoTime now) const {
    if (!began_ || spent_ < kAnswers || now >= *began_ + kWindow) return std::nullopt;
    return *began_ + kWindow;
  }

 private:
  std::optional<MonoTime> began_;
  int spent_ = 0;
};

}  // namespace paddock::sandbox
