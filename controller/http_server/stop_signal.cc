#include "controller/http_server/stop_signal.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace paddock::http_server {

Result<os::Fd> StopSignal::make_event() {
  os::Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.valid()) return system_error("making an event descriptor", errno);
  return event;
}

void StopSignal::raise() {
  raised_.store(true, std::memory_order_release);
  const uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
}

}  // namespace paddock::http_server
