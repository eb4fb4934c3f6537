// A pipe to ourselves: macOS has no event descriptors.
#include "common/os/event.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace paddock::os {

Event::Event() {
  auto pipe = make_pipe();
  if (!pipe) return;
  for (const Fd* end : {&pipe->read, &pipe->write}) {
    if (::fcntl(end->get(), F_SETFL, O_NONBLOCK) != 0) return;
  }
  readable_ = std::move(pipe->read);
  writable_ = std::move(pipe->write);
}

// A full pipe is readable all the same.
void Event::raise() const { (void)!::write(writable_.get(), "!", 1); }

void Event::clear() const {
  std::array<char, 256> ignored{};
  while (::read(readable_.get(), ignored.data(), ignored.size()) > 0) {
  }
}

}  // namespace paddock::os
