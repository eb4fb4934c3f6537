// Bounds how fast output beyond the limit is read. Such output is only read to find its end, and a
// command that writes forever, or one byte at a time, must not keep a processor of the host busy.
// The launcher then pauses, and the command waits as it would for any slow reader. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/time.h"

namespace paddock::sandbox {

class OutputBudget {
 public:
  // 200 MiB a second beyond the limit, or 50,000 reads: about a fifth of one processor.
  static constexpr int64_t kBytes = int64_t{2} << 20;
  static constexpr int64_t kRead = 4096;  // what one costs beside its bytes
  static constexpr Millis kWindow{10};

  // Notes one read that brought so many bytes beyond the limit.
  void spend(MonoTime now, int64_t beyond) {
    if (!began_ || now >= *began_ + kWindow) {
      began_ = now;
      spent_ = 0;
    }
    spent_ += kRead + beyond;
  }
  // Until when the launcher reads nothing; nothing: it may read now.
  std::optional<MonoTime> rests_until(MonoTime now) const {
    if (!began_ || spent_ < kBytes || now >= *began_ + kWindow) return std::nullopt;
    return *began_ + kWindow;
  }

 private:
  std::optional<MonoTime> began_;
  int64_t spent_ = 0;
};

}  // namespace paddock::sandbox
