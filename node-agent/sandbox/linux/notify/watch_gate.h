// Answers inotify_add_watch. A watch is on the file itself, whoever uses it: one on a program, a
// library or a volume would tell a command which of them the host and other runs open, and when. So
// a command watches only what it may write.
//
// The call itself never goes on, as another thread could change the name after the look. The watch
// is added here, to a copy of the asker's descriptor, on the file that was looked at.
#pragma once

#include <linux/seccomp.h>

#include <functional>

#include "node-agent/sandbox/linux/notify/network_gate.h"
#include "node-agent/sandbox/linux/notify/notifying_thread.h"

namespace paddock::sandbox {

// `still_asks`: as for locks (lock_gate.h).
GateAnswer judge_watch(const NotifyingThread& caller, const seccomp_data& call,
                       const std::function<bool()>& still_asks);

}  // namespace paddock::sandbox
