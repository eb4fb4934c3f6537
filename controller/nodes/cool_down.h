// Decides how long a node rests after it could not begin a run. It rests longer each time, whatever
// the causes, so that the node that fails fastest does not attract all work. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"
#include "common/contracts/node.h"

namespace paddock::nodes {

// After another run that it could not begin. Those that were given to it before it rested tell
// nothing new.
// A run whose launcher died, or whose sandbox was not set up, may be to blame for that itself: one
// is counted and no more, and after several in a row the rest is short.
enum class Blame { kNode, kNodeOrRun };
contracts::CoolDown after_refusal(const std::optional<contracts::CoolDown>& before,
                                  const std::string& reason, const std::string& message,
                                  WallTime now, Blame blame = Blame::kNode);
// Whether it rests. A clock that went back makes no rest longer than the longest.
bool rests(const contracts::CoolDown& cool_down, WallTime now);

}  // namespace paddock::nodes
