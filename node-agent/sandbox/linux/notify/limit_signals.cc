#include "node-agent/sandbox/linux/notify/limit_signals.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cstring>

namespace paddock::sandbox {
namespace {

// The beginning of the kernel's structure, which is all that says what is sent.
struct TimerEvent {
  uint64_t value = 0;
  int signal = 0;
  int notify = 0;
};

// That the kernel sends where a process has more than this.
int signal_of_limit(uint64_t resource) {
  return static_cast<uint32_t>(resource) == RLIMIT_CPU ? SIGXCPU : SIGXFSZ;
}

}  // namespace

std::vector<int> limit_signals_of_timer(std::string_view event) {
  TimerEvent known;
  if (event.size() < sizeof known) return {SIGXCPU, SIGXFSZ};
  std::memcpy(&known, event.data(), sizeof known);
  const bool sends = known.notify != SIGEV_NONE;
  const bool of_a_limit = known.signal == SIGXCPU || known.signal == SIGXFSZ;
  return sends && of_a_limit ? std::vector{known.signal} : std::vector<int>();
}

std::vector<int> sent_limit_signals(const NotifyingThread& caller, const seccomp_data& call) {
  const auto signal = [&](int argument) { return static_cast<int>(call.args[argument]); };
  switch (call.nr) {
    case SYS_kill:
    case SYS_tkill:
    case SYS_rt_sigqueueinfo:
    case SYS_pidfd_send_signal:
      return {signal(1)};
    case SYS_tgkill:
    case SYS_rt_tgsigqueueinfo:
      return {signal(2)};
    case SYS_clone:
      return {signal(0) & CSIGNAL};
    case SYS_timer_create:
      return limit_signals_of_timer(caller.read(call.args[1], sizeof(TimerEvent)));
    case SYS_setrlimit:
      return {signal_of_limit(call.args[0])};
    case SYS_prlimit64:
      return {signal_of_limit(call.args[1])};
    case SYS_fcntl:
      return signal(1) == F_SETSIG ? std::vector{signal(2)} : std::vector<int>();
    case SYS_prctl:
      return signal(0) == PR_SET_PDEATHSIG ? std::vector{signal(1)} : std::vector<int>();
    default:
      return {};
  }
}

}  // namespace paddock::sandbox
