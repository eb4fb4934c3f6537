// A run ordered from a serving launcher, as contracts/launch.h says. Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "common/base/units.h"
#include "common/contracts/launch.h"
#include "common/contracts/run_exec.h"
#include "common/contracts/run_signal.h"
#include "common/os/fd.h"

namespace paddock::launch {

struct OrderFiles {
  int request = -1;
  int events = -1;
  int lock = -1;   // -1: none. The caller closes its copy after the answer, or holds the lock too.
  int input = -1;  // the command's standard input, of an attached run (it has no lock) or `exec`
  bool ahead = false;     // see contracts/launch.h; neither lock nor input
  bool exec = false;      // of a run's launcher; the request is an ExecOrder. No lock.
  bool terminal = false;  // of `exec`: it has a terminal, and no input
};

struct Launched {
  pid_t launcher = -1;
  os::Fd
      connection;  // hangs up when the launcher has ended; an attached run ends when it is closed
};

// A request in memory, for OrderFiles::request.
Result<os::Fd> request_file(const contracts::LaunchRequest& request);
Result<os::Fd> request_file(const contracts::ExecOrder& order);

inline constexpr int kOrderPatienceMs = 10'000;

// An error means that nothing of it runs, nor ever will: it may be ordered anew. Unavailable,
// NOT_LISTENING or PEER_GONE, if there is no server; DeadlineExceeded, NO_ANSWER, after
// `patience_ms`; the server's own reason if it refused.
// One error does not: Internal, BAD_ANSWER (may_have_started()). There was an answer that cannot be
// understood, so it may run, and is never ordered anew. An attached one ends: its client has left.
Result<Launched> order_launch(const std::string& socket, const OrderFiles& files,
                              int patience_ms = kOrderPatienceMs);
bool may_have_started(const Error& error);
// Gives the command of a run a signal. FailedPrecondition: RUN_NOT_RUNNING, if it has ended;
// RUN_EXEC_UNSUPPORTED, if its launcher is of an earlier release. Others as of order_launch().
Status order_signal(const std::string& socket, contracts::RunSignal signal);
// The wall time of an attached run passes from now on. Unavailable, PEER_GONE, if it has ended.
Status begin_attached(const Launched& run, Millis wall_time);
// The same for one ordered ahead, with the last argument of its command. `shown`: see
// contracts::kLaunchShown. An error always means that nothing of it ran, nor ever will.
Status begin_prelaunched(const Launched& run, Millis wall_time, std::string_view last_argument,
                         bool shown = false);

}  // namespace paddock::launch
