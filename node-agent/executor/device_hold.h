// How long a run has held its accelerators: from their grant on, also through the agents that came
// and went meanwhile.
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"
#include "common/contracts/meta.h"

namespace paddock::executor {

using contracts::field;

// A moment on the monotonic clock of one start of the machine.
struct HoldStart {
  int64_t mono_ms = 0;
  std::string boot_id;
  static constexpr auto describe(auto&& visit) {
    return visit(field("monoMs", &HoldStart::mono_ms, "when they were granted"),
                 field("bootId", &HoldStart::boot_id, "of the kernel whose clock that is"));
  }
};

// The kernel that runs now; empty: it does not say.
std::string this_boot();

// How long the devices were held: at least `command`, the real time of the command that had them.
// Nothing else is known if the machine was restarted since, or another version of the agent granted
// them.
Millis held_for(const std::optional<HoldStart>& since, const HoldStart& now, Millis command);

}  // namespace paddock::executor
