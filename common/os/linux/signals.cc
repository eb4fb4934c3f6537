#include "common/os/signals.h"

#include <signal.h>
#include <sys/signalfd.h>

#include <cerrno>

namespace paddock::os {

Result<Fd> signals_as_file(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  Fd out(::signalfd(-1, &set, SFD_CLOEXEC));
  if (!out.valid()) return system_error("waiting for signals", errno);
  return out;
}

}  // namespace paddock::os
