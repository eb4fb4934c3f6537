#include "node-agent/executor/device_hold.h"

#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/os/process.h"

namespace paddock::executor {

std::string this_boot() {
  const auto self = os::identify(::getpid());
  return self ? std::string(trim(self->boot_id)) : "";
}

Millis held_for(const std::optional<HoldStart>& since, const HoldStart& now, Millis command) {
  if (!since || since->boot_id != now.boot_id) return command;
  return std::max(command, MonoTime{now.mono_ms} - MonoTime{since->mono_ms});
}

}  // namespace paddock::executor
