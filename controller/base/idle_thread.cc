#include "controller/base/idle_thread.h"

#include <cstddef>

// jemalloc's, where the program is linked with it.
extern "C" __attribute__((weak)) int mallctl(const char* name, void* old_value, size_t* old_size,
                                             void* new_value, size_t new_size);

namespace paddock {

namespace {

void tell_allocator(const char* what) {
  if (mallctl != nullptr) (void)mallctl(what, nullptr, nullptr, nullptr, 0);
}

}  // namespace

void thread_is_idle() { tell_allocator("thread.tcache.flush"); }

void thread_is_idle_for_long() { tell_allocator("thread.idle"); }

}  // namespace paddock
