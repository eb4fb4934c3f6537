#include "controller/base/idle_thread.h"

#include <cstddef>

// jemalloc's, where the program is linked with it.
extern "C" __attribute__((weak)) int mallctl(const char* name, void* old_value, size_t* old_size,
                                             void* new_value, size_t new_size);

namespace paddock {

void thread_is_idle() {
  if (mallctl != nullptr) (void)mallctl("thread.idle", nullptr, nullptr, nullptr, 0);
}

}  // namespace paddock
