// A thread that waits keeps no memory for its next work. The allocator gives each thread a store of
// freed objects, so that most allocations take no lock; a connection's thread fills it in its first
// request and then mostly waits, and thousands do. Thread-safe.
#pragma once

#include "common/base/units.h"

namespace paddock {

// How long a thread should wait before it calls thread_is_idle(): what comes sooner, as the next
// request of a busy client does, finds the store as it was.
inline constexpr Millis kIdleAfter{100};

// Gives the store of the calling thread back to all. Costs some microseconds. Nothing happens where
// the program has another allocator than jemalloc (its documentation, "thread.idle").
void thread_is_idle();

}  // namespace paddock
