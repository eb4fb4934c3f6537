// What becomes of a node that could not begin what it was given: it rests, for longer each time, so
// that whoever fails fastest does not attract all work. The cause does not matter, but that another
// one begins its own count. Pure.
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
