#include "common/os/signals.h"

#include <signal.h>

#include <cerrno>

#include "common/os/darwin/kqueue.h"

namespace paddock::os {

// The queue learns of a signal when it is sent, whether it is blocked or not. It is asked first:
// what comes before both ends this process, as it would have a moment earlier.
Result<Fd> signals_as_file(std::initializer_list<int> signals) {
  Fd out = new_queue();
  for (const int signal : signals) {
    if (!ask(out, static_cast<uintptr_t>(signal), EVFILT_SIGNAL, EV_ADD, 0))
      return system_error("waiting for signals", errno);
  }
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return out;
}

}  // namespace paddock::os
