// kqueue(2), through which macOS tells of timers, signals, files and processes. Such a queue can be
// polled like any descriptor. For common/os/darwin only.
#pragma once

#include <sys/event.h>

#include "common/os/fd.h"

namespace paddock::os {

Fd new_queue();
// Asks `queue` to tell of it. False, with errno, if it cannot.
bool ask(const Fd& queue, uintptr_t what, int16_t filter, uint16_t flags, uint32_t details,
         intptr_t data = 0);
// Takes what has come; false: nothing had.
bool take_news_of(const Fd& queue);

}  // namespace paddock::os
