#include "common/os/darwin/kqueue.h"

#include <fcntl.h>

#include <array>

namespace paddock::os {

Fd new_queue() {
  Fd queue(::kqueue());
  if (queue.valid()) (void)::fcntl(queue.get(), F_SETFD, FD_CLOEXEC);
  return queue;
}

bool ask(const Fd& queue, uintptr_t what, int16_t filter, uint16_t flags, uint32_t details,
         intptr_t data) {
  struct kevent change = {};
  EV_SET(&change, what, filter, flags, details, data, nullptr);
  return ::kevent(queue.get(), &change, 1, nullptr, 0, nullptr) == 0;
}

bool take_news_of(const Fd& queue) {
  bool any = false;
  std::array<struct kevent, 16> events{};
  const timespec at_once = {};
  while (true) {
    const int count =
        ::kevent(queue.get(), nullptr, 0, events.data(), static_cast<int>(events.size()), &at_once);
    if (count > 0) any = true;
    if (count < static_cast<int>(events.size())) return any;
  }
}

}  // namespace paddock::os
