// How fast a command's output is taken: what is beyond its limit is read for its end alone, and a
// command that writes without end, or a byte at a time, must not keep the launcher's processor
// busy. It waits then, as at any slow reader, and the host does not. Pure.
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

  // A read that brought so many bytes beyond the limit.
  void spend(MonoTime now, int64_t beyond) {
    if (!began_ || now >= *began_ + kWindow) {
      began_ = now;
      spent_ = 0;
    }
    spent_ += kRead + beyond;
  }
  // Until when nothing is read.
  std::optional<MonoTime> rests_until(MonoTime now) const {
    if (!began_ || spent_ < kBytes || now >= *began_ + kWindow) return std::nullopt;
    return *began_ + kWindow;
  }

 private:
  std::optional<MonoTime> began_;
  int64_t spent_ = 0;
};

}  // namespace paddock::sandbox
