// One command: launched, followed to its end. It ends early when one of the descriptors of `stops`
// becomes readable; how it ended is told in any case.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"
#include "common/contracts/launch.h"
#include "common/launch/fed_launch.h"

namespace paddock::sessions {

struct CommandRun {
  std::string socket;  // of a serving launcher
  const contracts::LaunchRequest& request;
  std::vector<int> stops;
  // Output as it comes; must not wait: the launcher's pipe is read by nobody else.
  std::function<void(contracts::FrameType, std::string_view)> on_output = {};
};

struct CommandEnd {
  contracts::SandboxResult result;
  launch::FedLaunch launch;  // which is over
};

// Errors: launch::order_launch()'s, and LAUNCHER_LOST.
Result<CommandEnd> run_command(const CommandRun& run, const Clock& clock);

}  // namespace paddock::sessions
