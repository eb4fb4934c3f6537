// One command of a session: its launch, ordered before the command is known, and its end.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"
#include "common/contracts/launch.h"
#include "node-agent/launch/attached_launch.h"
#include "node-agent/sessions/live_input.h"

namespace paddock::sessions {

// `socket`: of a serving launcher. Errors: launch::order_launch()'s.
Result<launch::AttachedLaunch> order_command(const std::string& socket,
                                             const contracts::LaunchRequest& request);

struct Following {
  Millis wall_time{0};  // of the policy
  Millis grace{0};      // added to it, for what the command does after SIGTERM
  Millis setup{0};      // added to it, if the command was not begun yet
  int stop = -1;        // readable: the command is ended early, and has its grace
  int kill = -1;        // readable: it is ended at once
  // Output as it comes; must not wait: the launcher's pipe is read by nobody else.
  std::function<void(contracts::FrameType, std::string_view)> on_output = {};
  std::string_view input = {};  // all of the command's standard input
  LiveInput* live = nullptr;    // or input that comes while it runs
  // Whether output is taken now; empty: always. It is asked again and again until it is.
  std::function<bool()> takes_output = {};
};
// Follows the command from its beginning to its end. LAUNCHER_LOST. NO_ANSWER: its launcher ended
// it neither at its time limit nor when told to; then the launcher is killed, unless it is a run's.
Result<contracts::SandboxResult> follow(launch::AttachedLaunch& command, const Following& how,
                                        const Clock& clock);

}  // namespace paddock::sessions
