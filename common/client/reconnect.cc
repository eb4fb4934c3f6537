#include "common/client/reconnect.h"

#include <algorithm>

#include "common/base/backoff.h"

namespace paddock::client {
namespace {
constexpr int kFewestTries = 4;
}  // namespace

Status Reconnect::wait(const Failure& failure, const Error& lost, Random& random,
                       InterruptiblePause& pause) {
  ++failed_;
  const Millis left = patience_ - silence_.look(steady_now());
  // If this process was stopped meanwhile, patience can be used up without enough tries.
  const bool tried = failed_ >= kFewestTries;
  if (left.count() <= 0 && tried) return lost;
  const Millis wanted = backoff(failed_, random) + failure.retry_after.value_or(Millis(0));
  if (!pause.wait(tried ? std::min(wanted, left) : wanted))
    return Error{Code::kUnavailable, "ABORTED", "given up"};
  return {};
}

}  // namespace paddock::client
