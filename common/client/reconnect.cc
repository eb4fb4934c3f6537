#include "common/client/reconnect.h"

#include <algorithm>

#include "common/base/backoff.h"

namespace paddock::client {

Status Reconnect::wait(const Failure& failure, const Error& lost, Random& random,
                       InterruptiblePause& pause) {
  ++failed_;
  const auto waited = std::chrono::steady_clock::now() - last_answer_;
  const Millis left = patience_ - std::chrono::duration_cast<Millis>(waited);
  if (left.count() <= 0) return lost;
  const Millis wanted = backoff(failed_, random) + failure.retry_after.value_or(Millis(0));
  if (!pause.wait(std::min(wanted, left))) return Error{Code::kUnavailable, "ABORTED", "given up"};
  return {};
}

}  // namespace paddock::client
