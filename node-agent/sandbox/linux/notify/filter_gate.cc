#include "node-agent/sandbox/linux/notify/filter_gate.h"

#include <errno.h>
#include <sys/syscall.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/notify/process_census.h"

namespace paddock::sandbox {
namespace {

// How long who installs one waits while so many are born that no look says anything.
constexpr Millis kPatience{2'000};
constexpr int kRestFactor = 9;  // looking at processes takes a tenth of one processor at most

// With no program at all the kernel answers EFAULT: so programs find out whether there are filters.
// Only where nothing can be at that address.
bool names_a_program(const seccomp_data& call) {
  static const bool nothing_there = [] {
    const auto lowest = os::read_file("/proc/sys/vm/mmap_min_addr", 64);
    return lowest.ok() && parse_integer<int64_t>(trim(*lowest)).value_or(0) > 0;
  }();
  return call.args[2] != 0 || !nothing_there;
}

GateAnswer refuse(const NotifyingThread& caller, int looks) {
  return {.error = ENOMEM,
          .denials = {{"system call", "seccomp", caller.executable(),
                       cat("system call filter: the programs of a run have ", FilterCount::kMost,
                           " filters of their own at a time"),
                       "fewer processes at a time that filter their own calls"}},
          .looks = looks};
}

}  // namespace

GateAnswer FilterGate::judge(const NotifyingThread& caller, const seccomp_data& call,
                             const std::function<bool()>& still_asks) {
  if (!names_a_program(call)) return {};
  if (count_.full() && was_full_ && clock_.mono() < recount_at_) return refuse(caller, 0);
  const auto asking = caller.process();
  if (!asking || !still_asks()) return {.error = ENOMEM};  // it is gone
  // The process that asks first has no filter of its own yet, so all that it has are the
  // launcher's.
  if (!launchers_) launchers_ = asking->filters.value_or(0);
  int looks = 1;
  const auto full = is_full(caller, *asking, still_asks, looks);
  if (!full) return {.waits = true, .looks = looks};
  if (*full) return refuse(caller, looks);
  count_.add(asking->pid, asking->filters.value_or(0) - *launchers_);
  return {.looks = looks};
}

std::optional<bool> FilterGate::is_full(const NotifyingThread& caller,
                                        const NotifyingThread::Process& asking,
                                        const std::function<bool()>& still_asks, int& looks) {
  if (!count_.full()) return false;
  if (!asking.filters) return true;  // before Linux 5.9 nothing is taken back
  const MonoTime now = clock_.mono();
  if (now < recount_at_) return std::nullopt;
  if (recount(caller, asking, still_asks, looks)) {
    unsure_since_.reset();
    return was_full_ = count_.full();
  }
  if (!unsure_since_) unsure_since_ = now;
  was_full_ = now - *unsure_since_ >= kPatience;
  return was_full_ ? std::optional(true) : std::nullopt;
}

bool FilterGate::recount(const NotifyingThread& caller, const NotifyingThread::Process& asking,
                         const std::function<bool()>& still_asks, int& looks) {
  const MonoTime began = clock_.mono();
  ProcessCensus census = take_census(caller, asking, clock_);
  looks += census.looks;
  const MonoTime now = clock_.mono();
  recount_at_ = now + kRestFactor * (now - began);
  // If it still asks, its number was not reused, and this was its namespace.
  if (!census.whole || !still_asks()) return false;
  for (auto& [process, seen] : census.alive) seen.filters = std::max(seen.filters - *launchers_, 0);
  count_.recount(census.alive);
  return true;
}

}  // namespace paddock::sandbox
