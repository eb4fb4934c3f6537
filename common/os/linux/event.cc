#include "common/os/event.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace paddock::os {

Event::Event() : readable_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

// Fails only where it is raised already as often as can be counted.
void Event::raise() const {
  const uint64_t one = 1;
  (void)!::write(readable_.get(), &one, sizeof one);
}

void Event::clear() const {
  uint64_t count = 0;
  (void)!::read(readable_.get(), &count, sizeof count);
}

}  // namespace paddock::os
