// One launch, whole: request in, frames out, result back. The platform's backend implements it.
#pragma once

#include <memory>

#include "common/base/time.h"
#include "common/contracts/canary.h"
#include "node-agent/sandbox/result/event_writer.h"

namespace paddock::sandbox {

// A container runtime may have mounted something over parts of /proc. This undoes it for the
// calling process and those it starts, where that is needed and allowed. A program that launches
// calls it first of all.
void uncover_proc();

// Sets the limits of this process, and of those it starts until they set their own: it may open
// more descriptors than any command, and a crash is not given to the host's handler.
Status take_own_limits();

// Holds back SIGTERM, SIGINT, SIGHUP and SIGQUIT from now on. launch() takes them as a cancel.
void hold_cancel_signals();

// Stands for a run whose processes the kernel is still taking apart. Its destructor waits for the
// end of that, so release it only after the result was written.
using Remains = std::shared_ptr<void>;

// Writes `started`, `stdout` and `stderr` frames; the caller writes the result. The cancel signals
// stay held, so that a second one cannot cost the result. For single-threaded programs.
contracts::SandboxResult launch(const contracts::LaunchRequest& request, EventWriter& events,
                                const Clock& clock, Remains& remains);

// Proves by canaries, in launches of their own, what this host can enforce; takes a second or so.
contracts::SandboxProof probe(const Clock& clock);

}  // namespace paddock::sandbox
