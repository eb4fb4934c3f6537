#include "node-agent/sandbox/linux/notify/limit_signals.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cstring>
#include <string>

#include "common/base/text.h"
#include "common/os/proc_text.h"

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

// Programs set limits to what they are, and raise them as far as they may: no signal comes of that.
std::vector<int> signals_of_limit(const NotifyingThread& caller, uint64_t number, uint64_t at) {
  const auto resource = static_cast<int>(number);
  const std::string limits =
      os::proc_text(AT_FDCWD, cat("/proc/", caller.thread(), "/limits").c_str(), 8 << 10);
  if (!lowers_limit(caller.read(at, sizeof(rlimit)), limits, resource)) return {};
  return {signal_of_limit(number)};
}

}  // namespace

bool lowers_limit(std::string_view wanted, std::string_view limits, int resource) {
  rlimit limit{};
  if (wanted.size() < sizeof limit) return true;
  std::memcpy(&limit, wanted.data(), sizeof limit);
  // `Max cpu time              unlimited            unlimited            seconds`
  constexpr std::string_view kCpu = "Max cpu time";
  constexpr std::string_view kFile = "Max file size";
  const std::string_view name = resource == RLIMIT_CPU ? kCpu : kFile;
  const size_t at = limits.find(name);
  if (at == std::string_view::npos) return true;
  std::string_view now = trim(limits.substr(at + name.size(), limits.find('\n', at) - at));
  now = now.substr(0, now.find(' '));
  if (now == "unlimited") return limit.rlim_cur != RLIM_INFINITY;
  return limit.rlim_cur < parse_integer<rlim_t>(now).value_or(RLIM_INFINITY);
}

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
      return signals_of_limit(caller, call.args[0], call.args[1]);
    case SYS_prlimit64:  // whose limits another process has is not looked up
      if (static_cast<uint32_t>(call.args[0]) != 0) return {signal_of_limit(call.args[1])};
      return signals_of_limit(caller, call.args[1], call.args[2]);
    case SYS_fcntl:
      return signal(1) == F_SETSIG ? std::vector{signal(2)} : std::vector<int>();
    case SYS_prctl:
      return signal(0) == PR_SET_PDEATHSIG ? std::vector{signal(1)} : std::vector<int>();
    default:
      return {};
  }
}

}  // namespace paddock::sandbox
