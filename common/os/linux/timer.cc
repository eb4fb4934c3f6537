#include "common/os/timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

namespace paddock::os {

Timer::Timer() : fd_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}

void Timer::schedule(std::chrono::nanoseconds time) const {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t ns = std::max<int64_t>(time.count(), 1);  // 0 would disarm it
  const itimerspec setting = {.it_interval = {}, .it_value = {ns / kSecond, ns % kSecond}};
  ::timerfd_settime(fd_.get(), 0, &setting, nullptr);
}

bool Timer::take() const {
  uint64_t count = 0;
  return ::read(fd_.get(), &count, sizeof count) > 0;
}

}  // namespace paddock::os
