// Output that may be cut, for somebody who takes it for whole: an archive that lacks its middle and
// has its end looks like a short one. Pure; one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/head_and_tail.h"

namespace paddock::api {

class WholeOutput {
 public:
  // `budget`: how many bytes of the stream are shown at most, as HeadAndTail is told it.
  explicit WholeOutput(int64_t budget)
      : left_(static_cast<size_t>(std::max<int64_t>(
            0, budget - std::min(budget / 2, HeadAndTail::kMostTail) - kPartOfCharacter))) {}

  // What can be handed on now. What may stand behind a gap waits for the end.
  std::string_view take(std::string_view bytes) {
    const std::string_view now = bytes.substr(0, left_);
    left_ -= now.size();
    bytes.remove_prefix(now.size());
    if (kept_.size() + bytes.size() <= kMostKept) kept_ += bytes;
    return now;
  }
  // What follows, if nothing was cut.
  const std::string& rest() const { return kept_; }

 private:
  static constexpr int64_t kPartOfCharacter = 3;  // which may come only behind the gap
  static constexpr size_t kMostKept = size_t{4} << 20;

  size_t left_;
  std::string kept_;
};

}  // namespace paddock::api
