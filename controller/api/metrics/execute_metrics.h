// What became of requests to run code, for /metrics. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <string>
#include <string_view>

#include "common/base/error.h"
#include "common/base/units.h"
#include "common/contracts/snippet_report.h"
#include "controller/api/metrics/histogram.h"
#include "controller/calls/call_table.h"

namespace paddock::api {

enum class ExecuteOutcome {
  kOk,
  kFailed,  // the program's own doing
  kTimeout,
  kLimit,     // it met another limit
  kDenied,    // a forbidden system call
  kRefused,   // it never ran: its language, its length, or what the checker found
  kCanceled,  // its caller hung up
  kBusy,      // no place for it
  kNoNode,
  kError,  // the node was lost, or could not run it
};

ExecuteOutcome outcome_of(const contracts::SnippetReport& report);
ExecuteOutcome outcome_of(const Error& error);

class ExecuteMetrics {
 public:
  void count(ExecuteOutcome outcome);
  // One that a sandbox was made for; `took` from the request's arrival to its end.
  void count_run(bool warm, Millis took);

  std::string text(const calls::Load& load) const;

 private:
  static constexpr size_t kOutcomes = 10;
  static constexpr Histogram::Bounds kBounds = {5,     10,    25,    50,     100,    250,   500,
                                                1'000, 2'500, 5'000, 10'000, 30'000, 60'000};

  std::array<std::atomic<int64_t>, kOutcomes> outcomes_{};
  std::atomic<int64_t> warm_{0};
  std::atomic<int64_t> cold_{0};
  Histogram took_{kBounds};
};

}  // namespace paddock::api
