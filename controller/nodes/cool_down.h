// How long a node rests that could not begin a run. It rests longer each time, so that the node
// that fails fastest does not attract all work. All causes are treated alike, but another cause
// begins a count of its own. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"
#include "common/contracts/node.h"

namespace paddock::nodes {

// After another run that it could not begin. Those that were given to it before it rested tell
// nothing new.
contracts::CoolDown after_refusal(const std::optional<contracts::CoolDown>& before,
                                  const std::string& reason, const std::string& message,
                                  WallTime now);
// Whether it rests. A clock that went back makes no rest longer than the longest.
bool rests(const contracts::CoolDown& cool_down, WallTime now);

}  // namespace paddock::nodes
