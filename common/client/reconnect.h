// Waiting before a broken stream is asked for again: with back-off, and for at most a while without
// any answer. For common/client only.
#pragma once

#include <chrono>

#include "common/base/backoff.h"
#include "common/base/random.h"
#include "common/base/result.h"
#include "common/base/suspension.h"
#include "common/client/interruptible_pause.h"
#include "common/client/retry.h"

namespace paddock::client {

// The clock by which waiting is measured here.
inline MonoTime steady_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<Millis>(now).count()};
}

class Reconnect {
 public:
  Reconnect(Millis patience, Servers servers) : patience_(patience), servers_(servers) {}

  // How long the next connection may be without a sign of life.
  Millis for_try() { return try_within(patience_ - silence_.look(steady_now())); }
  void answered() { silence_ = LivedTime(kLongestTry, steady_now()); }
  void progressed() { failed_ = 0; }
  // Before the next connection, after one that brought nothing more. Fails with `lost` when the
  // patience is over, with ABORTED when the wait is interrupted.
  Status wait(const Failure& failure, const Error& lost, Random& random, InterruptiblePause& pause);

 private:
  const Millis patience_;
  const Servers servers_;
  LivedTime silence_{kLongestTry, steady_now()};  // since the last answer
  int failed_ = 0;                                // connections in a row without progress
};

}  // namespace paddock::client
