#include "common/os/deadly_signals.h"

#include <signal.h>

namespace paddock::os {

std::vector<int> deadly_signals() {
  return {SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,    SIGILL,  SIGQUIT, SIGSYS, SIGTRAP,
          SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ};
}

}  // namespace paddock::os
