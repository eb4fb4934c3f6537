#include "common/os/timer.h"

#include <algorithm>

#include "common/os/darwin/kqueue.h"

namespace paddock::os {

Timer::Timer() : fd_(new_queue()) {}

// The same number again replaces what was set.
void Timer::schedule(std::chrono::nanoseconds time) const {
  (void)ask(fd_, 1, EVFILT_TIMER, EV_ADD | EV_ONESHOT, NOTE_NSECONDS,
            static_cast<intptr_t>(std::max<int64_t>(time.count(), 1)));
}

bool Timer::take() const { return take_news_of(fd_); }

}  // namespace paddock::os
