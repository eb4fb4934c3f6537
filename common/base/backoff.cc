#include "common/base/backoff.h"

#include <algorithm>

namespace paddock {
namespace {

constexpr int64_t kFirstMs = 200;
constexpr int64_t kMostMs = 5'000;
constexpr int64_t kMostOfSeveralMs = 1'000;
constexpr int kSoonOfSeveral = 30;
constexpr int kMostDoublings = 5;  // beyond kMostMs

}  // namespace

Millis longest_backoff(int failed, Servers servers) {
  const bool soon = servers == Servers::kSeveral && failed <= kSoonOfSeveral;
  return Millis(soon ? kMostOfSeveralMs : kMostMs);
}

Millis backoff(int failed, Random& random, Servers servers) {
  const int doublings = std::clamp(failed, 1, 1 + kMostDoublings) - 1;
  const int64_t most = std::min(longest_backoff(failed, servers).count(), kFirstMs << doublings);
  const int64_t half = most / 2;
  return Millis(half + static_cast<int64_t>(random.below(static_cast<uint64_t>(most - half) + 1)));
}

}  // namespace paddock
