// The limits that the launcher itself keeps, on every system alike: time that passes, and output.
// Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/base/units.h"
#include "common/contracts/launch.h"
#include "node-agent/sandbox/result/redact.h"

namespace paddock::sandbox {

struct LauncherLimits {
  std::optional<Millis> wall_time;
  // The time from SIGTERM to SIGKILL. Systems without signals ignore it.
  Millis cancel_grace{0};
  Millis limit_grace{0};
  int64_t stdout_bytes = 0;
  int64_t stderr_bytes = 0;
  std::shared_ptr<const SecretWords> secrets = {};  // taken out of all output; may be nullptr
  // Somebody reads all output while it comes: none is left out, kept or repeated.
  bool shown = false;
  void show_all() {
    stdout_bytes = stderr_bytes = int64_t{1} << 60;
    shown = true;
  }
};

// Output is always limited: to 1 MiB per stream if the policy says nothing.
LauncherLimits launcher_limits(const contracts::LaunchRequest& request);

// How a wall time is enforced that ends a run by signals to all of `whom`.
contracts::Enforcement wall_time_by_signals(const contracts::LaunchRequest& request,
                                            const char* whom);

}  // namespace paddock::sandbox
