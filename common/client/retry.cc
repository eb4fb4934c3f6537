#include "common/client/retry.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::client {
namespace {

constexpr int kMaxAttempts = 4;
constexpr int kFewestTries = 2;
constexpr Millis kMostAskedFor{30'000};

}  // namespace

Millis asked_for(const Failure& failure) {
  return std::min(failure.retry_after.value_or(Millis(0)), kMostAskedFor);
}

bool safe_to_repeat(std::string_view method, bool keyed) {
  return keyed || method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE";
}

std::optional<Millis> retry_delay(const Failure& failure, bool repeatable, int failed,
                                  Random& random, Servers servers) {
  const Error& error = failure.error;
  if (error.reason == "ABORTED" || failed >= kMaxAttempts) return std::nullopt;
  // A request that never left, or was left alone, may be sent again whatever it is.
  const bool left_alone =
      is_one_of(error.reason, {"UNREACHABLE", "SERVER_NAME_UNKNOWN", "NOT_LEADER", "STORE_FENCED",
                               "NO_NODE", "NODES_BUSY", "TOO_MANY_CALLS"});
  if (!repeatable && !left_alone) return std::nullopt;
  const bool may_pass = error.code == Code::kUnavailable ||
                        error.code == Code::kResourceExhausted ||
                        error.code == Code::kDeadlineExceeded;
  if (!may_pass) return std::nullopt;
  return asked_for(failure) + backoff(failed, random, servers);
}

Millis pause_within(Millis left, Millis wanted, Millis least) {
  return std::min(wanted, left > Millis(0) ? left : least);
}

Millis try_within(Millis left) { return std::max(left, kShortestTry); }

bool is_used_up(Millis left, int failed) {
  if (failed >= kMaxAttempts) return left <= Millis(0);
  return failed >= kFewestTries && left <= -kShortestTry;
}

std::optional<Millis> Patience::for_try(MonoTime now) {
  if (!waited_) waited_.emplace(kLongestTry, now);
  if (!total_) return std::nullopt;
  return try_within(*total_ - waited_->look(now));
}

bool Patience::is_long() const { return failed_ >= kMaxAttempts; }

std::optional<Millis> Patience::after(const Failure& failure, bool repeatable, MonoTime now,
                                      Random& random) {
  if (!waited_) waited_.emplace(kLongestTry, now);
  const Millis left = total_.value_or(Millis(0)) - waited_->look(now);
  ++failed_;
  if (total_ && is_used_up(left, failed_)) return std::nullopt;
  if (const auto delay = retry_delay(failure, repeatable, failed_, random, servers_))
    return total_ ? pause_within(left, *delay, backoff(failed_, random, servers_)) : delay;
  const Reason& reason = failure.error.reason;
  const bool may_come_back = failure.unanswered && reason != "SERVER_NAME_UNKNOWN";
  const bool nobody_there =
      may_come_back ||
      is_one_of(reason, {"UNEXPECTED_ANSWER", "STORE_FULL", "STORE_IO", "STORE_BUSY", "STORE_AWAY",
                         "STORE_FENCED", "NOT_LEADER"});
  if (!nobody_there || left <= Millis(0)) return std::nullopt;
  const auto delay =
      retry_delay(failure, repeatable, 1, random, servers_);  // whether it may be sent at all
  if (!delay) return std::nullopt;
  return std::min(left, std::max(*delay, backoff(failed_, random, servers_)));
}

std::optional<Millis> parse_retry_after(std::string_view value) {
  const std::optional<int64_t> seconds = parse_integer<int64_t>(trim(value));
  if (!seconds || *seconds < 0 || *seconds > 86'400) return std::nullopt;
  return Millis(*seconds * 1000);
}

}  // namespace paddock::client
