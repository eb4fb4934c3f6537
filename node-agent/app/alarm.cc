#include "node-agent/app/alarm.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

namespace paddock::agent {
namespace {

constexpr Millis kWithoutTimer{20};

itimerspec once_in(std::chrono::nanoseconds time) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t ns = std::max<int64_t>(time.count(), 1);  // 0 would disarm it
  return {.it_interval = {}, .it_value = {ns / kSecond, ns % kSecond}};
}

}  // namespace

Alarm::Alarm()
    : timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)), due_(Time::max()) {}

void Alarm::ring_in(std::chrono::microseconds time) {
  const Time wanted = std::chrono::steady_clock::now() + time;
  due_.with([&](Time& due) {
    if (wanted >= due) return;
    due = wanted;
    const itimerspec setting = once_in(time);
    timerfd_settime(timer_.get(), 0, &setting, nullptr);
  });
}

void Alarm::wait(Millis limit) {
  if (!timer_.valid()) limit = std::min(limit, kWithoutTimer);
  pollfd fd{timer_.get(), POLLIN, 0};
  const auto most = std::clamp<int64_t>(limit.count(), 0, 60'000);
  if (poll(&fd, 1, static_cast<int>(most)) == 0) return;  // it rings for the next
  due_.with([&](Time& due) {
    uint64_t count = 0;
    if (read(timer_.get(), &count, sizeof count) > 0) due = Time::max();
  });
}

}  // namespace paddock::agent
