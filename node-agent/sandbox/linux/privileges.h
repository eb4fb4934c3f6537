// Giving up: identity, capabilities, inherited keyrings.
#pragma once

#include "common/base/result.h"

namespace paddock::sandbox {

// Takes the sandbox's one uid and gid; the capabilities within the user namespace stay.
Status become_inside_user(bool privileged);
// No capability and no way to get one back, not even by executing something.
Status drop_privileges();
// A fresh session keyring, so that the launcher's keys cannot be found.
Status leave_keyring();

}  // namespace paddock::sandbox
