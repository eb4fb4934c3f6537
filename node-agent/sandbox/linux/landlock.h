// The second wall, given to the calling process and all that it will start. See landlock_rules.h.
#pragma once

#include "common/base/result.h"
#include "node-agent/sandbox/landlock_rules.h"

namespace paddock::sandbox {

// The version of the kernel's Landlock; 0 if it has none or it is switched off.
int landlock_version();
// Cannot be undone. Paths are opened in the caller's root and rules bind to what is found there, so
// this comes after the last mount. The caller has no_new_privs. An empty ruleset does nothing.
Status apply_landlock(const LandlockRuleset& ruleset);

}  // namespace paddock::sandbox
