// Signals as something to wait for with poll(), instead of a handler.
#pragma once

#include <signal.h>

#include <initializer_list>

#include "common/os/fd.h"

namespace paddock::os {

// Blocks these in the calling thread, and so in all that it starts from then on. Readable once one
// of them has come. Call it before there are other threads.
Result<Fd> signals_as_file(std::initializer_list<int> signals);

// What the kernel sends to who writes, beside the error of the write, ends no daemon: a connection
// that broke (EPIPE), and a file at the limit that a service manager set (RLIMIT_FSIZE: EFBIG).
inline void ignore_signals_of_writes() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace paddock::os
