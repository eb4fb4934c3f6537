// A thread that waits keeps no memory for its next work. The allocator gives each thread a store of
// freed objects, so that most allocations take no lock; a connection's thread fills it in its first
// request and then mostly waits, and thousands do. Thread-safe.
#pragma once

#include "common/base/units.h"

namespace paddock {

// How long a thread should wait before it calls thread_is_idle(): a busy client's next request
// comes sooner than that, and then finds the thread's memory as it was.
inline constexpr Millis kIdleAfter{100};

// Gives the store of the calling thread back to all. Costs some microseconds. Nothing happens where
// the program has another allocator than jemalloc (its documentation, "thread.tcache.flush").
void thread_is_idle();

// Does the same, and also gives the kernel the unused memory that this thread shares with some
// others ("thread.idle"). If those work, each such page costs them a page fault, so this is for a
// thread that has waited for seconds.
void thread_is_idle_for_long();

}  // namespace paddock
