// What all launches of one launcher process have in common: found out and rendered once, before
// there is a request. One-shot launchers make one for their only run, serving ones for all.
#pragma once

#include <memory>
#include <optional>

#include "common/os/fd.h"
#include "node-agent/sandbox/backend/launch.h"
#include "node-agent/sandbox/linux/filesystem/shared_view.h"
#include "node-agent/sandbox/linux/launcher/input_feed.h"
#include "node-agent/sandbox/linux/seccomp/seccomp_program.h"
#include "node-agent/sandbox/linux/users/host_user.h"
#include "node-agent/sandbox/plan/host_facts.h"
#include "node-agent/sandbox/result/event_writer.h"

namespace paddock::sandbox {

class EmptySandbox;

struct LaunchKit {
  HostFacts host;
  SeccompFilters filters;
  // The launcher itself is in an empty network namespace, which is for this run alone and in which
  // the sandbox has no capability: the sandbox inherits it instead of making its own.
  bool in_empty_network = false;
  std::string empty_network;         // then: its books, see loopback.h
  os::Fd host_network;               // then: the one that the launcher left, for brokers
  std::optional<HostUser> user;      // of the next sandbox alone; none: see host.why_no_own_user
  os::Fd root_mapping;               // for the default identity, see HostIdentity; none: invalid
  os::Fd mounts;                     // watch_mounts() since before `shared` was last looked at
  std::optional<SharedView> shared;  // none: each view is made from the host's own folders
  // Of the run that is over: the kernel takes its time to take them apart.
  std::shared_ptr<EmptySandbox> used;
  std::optional<InputFeed> input;
};
// `choices.pass` is chosen here.
Result<LaunchKit> make_kit(LaunchChoices choices = {});
// The next sandbox has this user, or where there is none its files' owner, as others.
void give_user(LaunchKit& kit, Result<HostUser> user);

// What a process that holds them was told before it had a run is not about the run.
void forget_cancel_signals();

// What a fed run has beside its request; see contracts/launch.h.
struct Feed {
  os::Fd input;        // none: /dev/null
  int client = -1;     // whose packet begins it and whose leaving ends it; -1: not a fed run
  bool ahead = false;  // its command lacks the last argument, which that packet brings
};

// launch() with what is known already. `prepared`: used if it fits, else ended; may be nullptr.
contracts::SandboxResult launch_with(LaunchKit& kit, std::unique_ptr<EmptySandbox> prepared,
                                     Feed feed, const contracts::LaunchRequest& request,
                                     EventWriter& events, const Clock& clock);

}  // namespace paddock::sandbox
