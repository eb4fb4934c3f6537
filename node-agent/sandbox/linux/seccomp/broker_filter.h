// The system calls of a broker that serves: sockets and nothing else. It opens no file and starts
// no program, whatever bytes it is sent.
#pragma once

#include "common/base/result.h"

namespace paddock::sandbox {

// Restricts this process, for good, to calls on its sockets. Needs no_new_privs.
Status keep_to_sockets();

}  // namespace paddock::sandbox
