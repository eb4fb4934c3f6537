#include "common/base/backoff.h"

#include <algorithm>

namespace paddock {
namespace {

constexpr int64_t kFirstMs = 200;
constexpr int64_t kMostMs = 5'000;
constexpr int kMostDoublings = 5;  // beyond kMostMs

}  // namespace

Millis backoff(int failed, Random& random) {
  const int doublings = std::clamp(failed, 1, 1 + kMostDoublings) - 1;
  const int64_t most = std::min(kMostMs, kFirstMs << doublings);
  const int64_t half = most / 2;
  return Millis(half + static_cast<int64_t>(random.below(static_cast<uint64_t>(most - half) + 1)));
}

}  // namespace paddock
