#include "node-agent/base/wakeup_timer.h"

#include <poll.h>

#include <algorithm>

namespace paddock::agent {
namespace {

constexpr Millis kWithoutTimer{20};

}  // namespace

WakeupTimer::WakeupTimer() : due_(Time::max()) {}

void WakeupTimer::schedule(std::chrono::microseconds time) {
  const Time wanted = std::chrono::steady_clock::now() + time;
  due_.with([&](Time& due) {
    if (wanted >= due) return;
    due = wanted;
    timer_.schedule(time);
  });
}

void WakeupTimer::wait(Millis limit) {
  if (!timer_.valid()) limit = std::min(limit, kWithoutTimer);
  pollfd fd{timer_.fd(), POLLIN, 0};
  const auto most = std::clamp<int64_t>(limit.count(), 0, 60'000);
  if (poll(&fd, 1, static_cast<int>(most)) == 0) return;  // it rings for the next
  due_.with([&](Time& due) {
    if (timer_.take()) due = Time::max();
  });
}

}  // namespace paddock::agent
