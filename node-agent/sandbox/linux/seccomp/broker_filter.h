// The system calls of a broker that serves: sockets and nothing else. It opens no file and starts
// no program, whatever bytes it is sent.
#pragma once

#include "common/base/result.h"

namespace paddock::sandbox {

// For this process, for good. Needs no_new_privs.
Status keep_to_sockets();

}  // namespace paddock::sandbox
