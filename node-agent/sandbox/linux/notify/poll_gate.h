// Answers calls of poll and select that name many descriptors: they go on, unless the threads of
// the run wait for as many as they may (poll_count.h). Where it is to be looked first who waits no
// more, and was looked just now, the asker waits a moment. Only registers decide, which no other
// thread can change.
#pragma once

#include <linux/seccomp.h>

#include <string_view>

#include "node-agent/sandbox/linux/notify/network_gate.h"
#include "node-agent/sandbox/linux/notify/notifying_thread.h"
#include "node-agent/sandbox/linux/notify/poll_count.h"

namespace paddock::sandbox {

// Whether the system call of this name waits for descriptors that it names.
bool is_poll(std::string_view name);

class PollGate {
 public:
  explicit PollGate(const Clock& clock) : clock_(clock) {}
  // `name`: of the call, which is_poll().
  GateAnswer judge(const NotifyingThread& caller, std::string_view name, const seccomp_data& call);

 private:
  int forget_who_waits_no_more();

  const Clock& clock_;
  PollCount count_;
  MonoTime rests_until_;  // before the threads are looked at again
};

}  // namespace paddock::sandbox
