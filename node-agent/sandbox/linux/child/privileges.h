// Giving up: identity, capabilities, inherited keyrings.
#pragma once

#include "common/base/result.h"

namespace paddock::sandbox {

// Takes the sandbox's one uid and gid; the capabilities within the user namespace stay.
Status become_inside_user(bool privileged);
// No capability, now and after any exec. drop_capabilities() does for a process that never executes
// anything: it leaves the bounding set, which says what a new program may get.
Status drop_privileges();
Status drop_capabilities();
// A fresh session keyring, so that the launcher's keys cannot be found.
Status leave_keyring();

}  // namespace paddock::sandbox
