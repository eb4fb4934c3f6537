// The profiles that runs of this controller may name.
#pragma once

#include "common/base/result.h"
#include "common/contracts/profile.h"
#include "controller/app/config.h"

namespace paddock::app {

// The built-in ones and those of profilesDir, which win. One that cannot be read ends the start:
// nothing runs under another policy than was meant. PROFILES_UNREADABLE, PROFILE_INVALID;
// CONFIG_INVALID where an image of sessions.images means a profile that is not there.
Result<contracts::Profiles> profiles_of(const Config& config);

}  // namespace paddock::app
