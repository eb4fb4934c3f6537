// What all launches of one launcher process have in common: found out and rendered once, before
// there is a request. One-shot launchers make one for their only run, serving ones for all.
#pragma once

#include "common/os/fd.h"
#include "node-agent/sandbox/event_writer.h"
#include "node-agent/sandbox/host_facts.h"
#include "node-agent/sandbox/launch.h"
#include "node-agent/sandbox/linux/mounts.h"
#include "node-agent/sandbox/seccomp_program.h"

namespace paddock::sandbox {

struct LaunchKit {
  HostFacts host;
  SeccompFilters filters;
  // The launcher itself is in an empty network namespace, which is for this run alone and in which
  // the sandbox has no capability: the sandbox inherits it instead of making its own.
  bool in_empty_network = false;
  os::Fd host_network;       // then: the one that the launcher left, for brokers
  PreparedSources prepared;  // none: all are opened when they are needed
};
Result<LaunchKit> make_kit();

// launch() with what is known already; uses up what is prepared.
contracts::SandboxResult launch_with(LaunchKit& kit, const contracts::LaunchRequest& request,
                                     EventWriter& events, const Clock& clock);

}  // namespace paddock::sandbox
