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
  Millis grace{0};      // behind it
  Millis setup{0};      // before it, where it was not begun yet
  int stop = -1;        // it ends early, in its grace, when this becomes readable
  int kill = -1;        // and at once when this does
  // Output as it comes; must not wait: the launcher's pipe is read by nobody else.
  std::function<void(contracts::FrameType, std::string_view)> on_output = {};
  std::string_view input = {};  // for its talk(), which is closed behind it
  LiveInput* live = nullptr;    // or what comes while it runs
  // Whether output is taken now; empty: always. While it is not, it is asked again and again.
  std::function<bool()> takes_output = {};
};
// How it ended, from its beginning on. LAUNCHER_LOST; NO_ANSWER of a launcher that neither ends it
// at its limit of time nor when it is told to, and that is killed then unless it is a run's.
Result<contracts::SandboxResult> follow(launch::AttachedLaunch& command, const Following& how,
                                        const Clock& clock);

}  // namespace paddock::sessions
