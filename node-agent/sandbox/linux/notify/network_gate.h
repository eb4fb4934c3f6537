// Answers system calls that name a network address or make a socket. What would leave the sandbox
// is refused and recorded; local sockets go on. The network is out of reach because of the network
// namespace, and not because of this. So a thread that changes the address after it was read gains
// nothing but an attempt that fails without a record.
#pragma once

#include <linux/seccomp.h>

#include "node-agent/sandbox/linux/notify/notifying_thread.h"
#include "node-agent/sandbox/plan/network.h"
#include "node-agent/sandbox/result/denials.h"

namespace paddock::sandbox {

struct GateAnswer {
  int error = 0;  // 0: the call goes on
  std::vector<contracts::Denial> denials;
  std::string broker_user = {};  // the caller's executable, if the call reaches the broker
  bool held = false;             // an exit: it is answered when let_exit() is called
  bool waits = false;            // it is not answered yet, and judged again in a moment
  bool done = false;             // the launcher made the call for the asker, so it succeeds
  // Signals of limits (SIGXCPU, SIGXFSZ) that may come from this call, and not from a limit.
  std::vector<int> limit_signals = {};
  int looks = 0;  // how many processes had to be looked at for this answer
};

// For connect, bind, listen, sendto, sendmsg, sendmmsg and socket.
GateAnswer judge_network_call(const NotifyingThread& caller, const seccomp_data& call,
                              const NetworkReach& reach);

}  // namespace paddock::sandbox
