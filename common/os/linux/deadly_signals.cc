#include "common/os/deadly_signals.h"

#include <signal.h>

namespace paddock::os {

std::vector<int> deadly_signals() {
  std::vector<int> out = {SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,  SIGILL,  SIGQUIT,
                          SIGSYS,  SIGTRAP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM,
                          SIGPROF, SIGXCPU, SIGXFSZ, SIGIO,   SIGPWR,  SIGSTKFLT};
  for (int each = SIGRTMIN; each <= SIGRTMAX; ++each) out.push_back(each);
  return out;
}

}  // namespace paddock::os
