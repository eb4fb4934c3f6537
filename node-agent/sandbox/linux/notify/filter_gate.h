// Answers the installation of a filter of system calls. It goes on, unless the run has as many as
// it may (filter_count.h); where that is to be looked at first, the asker waits a moment. Only what
// is in the call's registers decides, which no other thread can change; how long the program is
// stands in the asker's memory, so each counts as the longest.
#pragma once

#include <linux/seccomp.h>

#include <functional>
#include <optional>

#include "node-agent/sandbox/linux/notify/filter_count.h"
#include "node-agent/sandbox/linux/notify/network_gate.h"
#include "node-agent/sandbox/linux/notify/notifying_thread.h"

namespace paddock::sandbox {

class FilterGate {
 public:
  explicit FilterGate(const Clock& clock) : clock_(clock) {}
  // Judges a call of seccomp or prctl. `still_asks` says whether the thread is still waiting for
  // this answer: if so, what was read about its number belongs to it, and not to a later thread
  // with the same number.
  GateAnswer judge(const NotifyingThread& caller, const seccomp_data& call,
                   const std::function<bool()>& still_asks);

 private:
  // Whether the count is full, after a look at who is alive if it is time for one. It says nothing
  // while that is not known.
  std::optional<bool> is_full(const NotifyingThread& caller, const NotifyingThread::Process& asking,
                              const std::function<bool()>& still_asks, int& looks);
  bool recount(const NotifyingThread& caller, const NotifyingThread::Process& asking,
               const std::function<bool()>& still_asks, int& looks);

  const Clock& clock_;
  std::optional<int> launchers_;  // filters that each of the command's threads begins with
  FilterCount count_;
  MonoTime recount_at_;    // not before
  bool was_full_ = false;  // at the last look
  std::optional<MonoTime>
      unsure_since_;  // since when no look was complete: processes were born too fast
};

}  // namespace paddock::sandbox
