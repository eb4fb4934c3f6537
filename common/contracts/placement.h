// What a run says about where it may go and how often it may be tried, and what a node says about
// whom it takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

// A node's mark that keeps runs away unless they tolerate it.
struct Taint {
  std::string key;
  std::string value;
  std::string effect = "NoSchedule";
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("key", &Taint::key, "what it is about", {.required = true, .max_length = 253}),
        field("value", &Taint::value, "of the key", {.omit_empty = true, .max_length = 63}),
        field("effect", &Taint::effect, "NoSchedule: nothing new that does not tolerate it",
              {.max_length = 32}));
  }
  void validate(wire::Check& check) const;
  friend bool operator==(const Taint&, const Taint&) = default;
};

enum class TolerationOperator { kEqual, kExists };

struct Toleration {
  std::string key;  // empty with Exists: every taint
  TolerationOperator op = TolerationOperator::kEqual;
  std::string value;
  std::string effect;  // empty: every effect
  static constexpr auto describe(auto&& visit) {
    return visit(field("key", &Toleration::key, "of the taint; empty with Exists: any",
                       {.omit_empty = true, .max_length = 253}),
                 field("operator", &Toleration::op, "Equal or Exists"),
                 field("value", &Toleration::value, "of the taint, with Equal",
                       {.omit_empty = true, .max_length = 63}),
                 field("effect", &Toleration::effect, "of the taint; empty: any",
                       {.omit_empty = true, .max_length = 32}));
  }
  void validate(wire::Check& check) const;
};
bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

// Why a run may be placed again. Each is a cause that its own command had no part in.
//   NodeLost     its node fell silent; the command may have run in part
//   StartFailed  its command never started
//   Evicted      its node was drained, or the run gave way to one of higher priority
enum class RetryCause { kNodeLost, kStartFailed, kEvicted };

// A run without one is tried once.
struct RetryPolicy {
  int64_t max_attempts = 3;
  wire::Wait backoff{Millis(10'000)};
  wire::Wait max_backoff{Millis(600'000)};
  std::vector<RetryCause> on;  // empty: every cause
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("maxAttempts", &RetryPolicy::max_attempts, "the first one included",
              {.min = 1, .max = 100}),
        field("backoff", &RetryPolicy::backoff, "before the second attempt; doubles each time"),
        field("maxBackoff", &RetryPolicy::max_backoff, "the longest wait"),
        field("on", &RetryPolicy::on,
              "NodeLost, StartFailed, Evicted; all of them unless given. NodeLost and Evicted may "
              "run a command that ran in part already",
              {.omit_empty = true, .max_length = 3}));
  }
  void validate(wire::Check& check) const;
};

// Set while a placed run is being ended by us; its node is told to cancel it.
struct Eviction {
  std::string reason;  // NODE_DRAINED, PREEMPTED, DEADLINE_EXCEEDED
  std::string message;
  std::optional<wire::Timestamp> at;
  static constexpr auto describe(auto&& visit) {
    return visit(field("reason", &Eviction::reason, "a stable word", {.required = true}),
                 field("message", &Eviction::message, "a sentence"),
                 field("at", &Eviction::at, "when its node was to end it"));
  }
};

// An operator's wish to empty a node.
struct Drain {
  wire::Timestamp requested_at;
  wire::Timestamp evict_at;  // what still runs then is ended
  static constexpr auto describe(auto&& visit) {
    return visit(field("requestedAt", &Drain::requested_at, "when it was asked for"),
                 field("evictAt", &Drain::evict_at, "what still runs then is ended"));
  }
};

}  // namespace paddock::contracts

namespace paddock::wire {
template <>
struct EnumNames<contracts::TolerationOperator> {
  using E = contracts::TolerationOperator;
  static constexpr std::array values = {std::pair{E::kEqual, std::string_view("Equal")},
                                        std::pair{E::kExists, std::string_view("Exists")}};
};
template <>
struct EnumNames<contracts::RetryCause> {
  using E = contracts::RetryCause;
  static constexpr std::array values = {std::pair{E::kNodeLost, std::string_view("NodeLost")},
                                        std::pair{E::kStartFailed, std::string_view("StartFailed")},
                                        std::pair{E::kEvicted, std::string_view("Evicted")}};
};
}  // namespace paddock::wire
