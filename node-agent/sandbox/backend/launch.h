// One launch, whole: request in, frames out, result back. The platform's backend implements it.
#pragma once

#include <memory>

#include "common/base/time.h"
#include "common/contracts/canary.h"
#include "node-agent/sandbox/result/event_writer.h"

namespace paddock::sandbox {

// First of all, in a program that launches: undoes what a container runtime put over parts of
// /proc, for this process and those it starts, where that is in the way and may be undone.
void uncover_proc();

// What this process lives under, and all that it starts until they take limits of their own: more
// descriptors than any command may have, and no handler of the host for what crashes.
Status take_own_limits();

// SIGTERM, SIGINT and SIGHUP wait from here on until launch() takes them as a cancel.
void hold_cancel_signals();

// What is left of a run that was killed, while the kernel takes it apart: whoever lets go of it
// waits for the end of that, and so does it after the result.
using Remains = std::shared_ptr<void>;

// Writes `started`, `stdout` and `stderr` frames; the caller writes the result. The cancel signals
// stay held, so that a second one cannot cost the result. For single-threaded programs.
contracts::SandboxResult launch(const contracts::LaunchRequest& request, EventWriter& events,
                                const Clock& clock, Remains& remains);

// What this host can enforce, proven by canaries in launches of its own; takes a second or so.
contracts::SandboxProof probe(const Clock& clock);

}  // namespace paddock::sandbox
