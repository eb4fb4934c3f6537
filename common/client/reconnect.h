// Waiting before a broken stream is asked for again: with back-off, and for at most a while without
// any answer. For common/client only.
#pragma once

#include <chrono>

#include "common/base/random.h"
#include "common/base/result.h"
#include "common/client/interruptible_pause.h"
#include "common/client/retry.h"

namespace paddock::client {

class Reconnect {
 public:
  explicit Reconnect(Millis patience)
      : patience_(patience), last_answer_(std::chrono::steady_clock::now()) {}

  void answered() { last_answer_ = std::chrono::steady_clock::now(); }
  void progressed() { failed_ = 0; }
  // Before the next connection, after one that brought nothing more. Fails with `lost` when the
  // patience is over, with ABORTED when the wait is interrupted.
  Status wait(const Failure& failure, const Error& lost, Random& random, InterruptiblePause& pause);

 private:
  const Millis patience_;
  std::chrono::steady_clock::time_point last_answer_;
  int failed_ = 0;  // connections in a row without progress
};

}  // namespace paddock::client
