#include "common/client/reconnect.h"

namespace paddock::client {
namespace {
constexpr int kTriesOfAName = 4;
}  // namespace

Status Reconnect::wait(const Failure& failure, const Error& lost, Random& random,
                       InterruptiblePause& pause) {
  ++failed_;
  const Millis left = patience_ - silence_.look(steady_now());
  if (failed_ >= kTriesOfAName && failure.error.reason == "SERVER_NAME_UNKNOWN")
    return failure.error;
  if (is_used_up(left, failed_)) return lost;
  const Millis least = backoff(failed_, random, servers_);
  if (!pause.wait(pause_within(left, asked_for(failure) + least, least)))
    return Error{Code::kUnavailable, "ABORTED", "given up"};
  return {};
}

}  // namespace paddock::client
