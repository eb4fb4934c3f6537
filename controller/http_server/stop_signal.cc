#include "controller/http_server/stop_signal.h"

#include <cerrno>

namespace paddock::http_server {

Result<os::Event> StopSignal::make_event() {
  os::Event event;
  TRY(check(event));
  return event;
}

Status StopSignal::check(const os::Event& event) {
  if (!event.valid()) return system_error("making an event descriptor", errno);
  return {};
}

void StopSignal::raise() {
  raised_.store(true, std::memory_order_release);
  event_.raise();
}

}  // namespace paddock::http_server
