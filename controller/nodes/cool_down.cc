#include "controller/nodes/cool_down.h"

#include <algorithm>

namespace paddock::nodes {
namespace {

constexpr Millis kFirst{2'000};
constexpr Millis kLongest = std::chrono::minutes(5);
constexpr Millis kLongestInDoubt = std::chrono::seconds(30);
constexpr Millis kForgotten = std::chrono::minutes(30);  // after that it begins anew
constexpr int64_t kMostDoublings = 8;

Millis rest_after(int64_t failures) {
  return std::min(kLongest, kFirst * (int64_t{1} << std::min(failures - 1, kMostDoublings)));
}

}  // namespace

bool rests(const contracts::CoolDown& cool_down, WallTime now) {
  if (!cool_down.until) return false;
  const Millis left = cool_down.until->value - now;
  return left > Millis(0) && left <= kLongest;
}

contracts::CoolDown after_refusal(const std::optional<contracts::CoolDown>& before,
                                  const std::string& reason, const std::string& message,
                                  WallTime now, Blame blame) {
  if (before && rests(*before, now)) return *before;
  const bool again = before && before->last_at && now - before->last_at->value < kForgotten;
  contracts::CoolDown next;
  next.failures = again ? before->failures + 1 : 1;
  next.reason = reason;
  next.message = message;
  next.last_at = wire::Timestamp{now};
  const bool in_doubt = blame == Blame::kNodeOrRun;
  if (in_doubt && next.failures < 2) return next;
  const Millis rest = rest_after(next.failures);
  next.until = wire::Timestamp{now + (in_doubt ? std::min(rest, kLongestInDoubt) : rest)};
  return next;
}

}  // namespace paddock::nodes
