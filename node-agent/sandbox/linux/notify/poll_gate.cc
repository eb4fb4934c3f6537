#include "node-agent/sandbox/linux/notify/poll_gate.h"

#include <errno.h>
#include <fcntl.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/seccomp/syscall_names.h"
#include "node-agent/sandbox/linux/seccomp/syscall_table.h"

namespace paddock::sandbox {
namespace {

constexpr int kPollRestFactor = 9;  // looking at threads takes a tenth of one processor at most
constexpr Millis kShortestPollRest{10};

bool is_select(std::string_view name) { return name == "select" || name == "pselect6"; }

// How many it counts for. The kernel takes the numbers as 32 bits, and sets as whole registers.
uint32_t descriptors_of(std::string_view name, const seccomp_data& call) {
  if (!is_select(name)) return static_cast<uint32_t>(call.args[1]);
  const auto numbers = static_cast<uint32_t>(call.args[0]);
  const bool names_none = (call.args[1] | call.args[2] | call.args[3]) == 0;
  return names_none ? PollCount::of_empty_select(numbers) : numbers;
}

// Whether it may be in such a call: for certain not if it has ended, or waits in another one.
bool may_wait(pid_t thread) {
  const os::Fd file(open(cat("/proc/", thread, "/syscall").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return errno != ENOENT && errno != ESRCH;
  const auto text = os::read_all(file.get(), 256);
  if (!text.ok()) return true;
  // `7 0x7f… …`, or `running`: then it may be on its way there.
  const auto number = parse_integer<int>(std::string_view(*text).substr(0, text->find(' ')));
  if (!number) return true;
  const std::string name = syscall_name(*number, static_cast<uint32_t>(this_machine()));
  return is_poll(name) || name == "restart_syscall";
}

GateAnswer refuse_to_wait(const NotifyingThread& caller, std::string_view name, int looks) {
  return {.error = ENOMEM,
          .denials = {{"system call", std::string(name), caller.executable(),
                       cat("poll and select: the threads of a run wait for ", PollCount::kMost,
                           " descriptors at a time, of calls with ", PollCount::kFew,
                           " or more of them"),
                       "epoll, or fewer threads that wait for so many descriptors"}},
          .looks = looks};
}

}  // namespace

bool is_poll(std::string_view name) { return is_select(name) || name == "poll" || name == "ppoll"; }

GateAnswer PollGate::judge(const NotifyingThread& caller, std::string_view name,
                           const seccomp_data& call) {
  const uint32_t named = descriptors_of(name, call);
  if (named < PollCount::kFew) return {};
  int looks = 0;
  if (!count_.has_room(caller.thread(), named)) {
    if (clock_.mono() < rests_until_) return {.waits = true};
    looks = forget_who_waits_no_more();
  }
  if (!count_.has_room(caller.thread(), named)) return refuse_to_wait(caller, name, looks);
  count_.note(caller.thread(), named);
  return {.looks = looks};
}

int PollGate::forget_who_waits_no_more() {
  const MonoTime began = clock_.mono();
  const auto looks = static_cast<int>(count_.threads());
  count_.forget_unless(may_wait);
  const MonoTime now = clock_.mono();
  rests_until_ = now + std::max(kPollRestFactor * (now - began), kShortestPollRest);
  return looks;
}

}  // namespace paddock::sandbox
