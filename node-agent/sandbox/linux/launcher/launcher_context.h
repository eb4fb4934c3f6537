// The things that all launches of one launcher process share: facts of the host, filters and a
// view, which are made once, before there is a request. A one-shot launcher makes them for its only
// run, a serving launcher for all of its runs.
#pragma once

#include <memory>
#include <optional>

#include "common/os/fd.h"
#include "node-agent/sandbox/backend/launch.h"
#include "node-agent/sandbox/linux/filesystem/root.h"
#include "node-agent/sandbox/linux/filesystem/shared_view.h"
#include "node-agent/sandbox/linux/launcher/exec_host.h"
#include "node-agent/sandbox/linux/launcher/input_feed.h"
#include "node-agent/sandbox/linux/seccomp/seccomp_program.h"
#include "node-agent/sandbox/linux/users/host_user.h"
#include "node-agent/sandbox/plan/host_facts.h"
#include "node-agent/sandbox/result/event_writer.h"

namespace paddock::sandbox {

class PreparedSandbox;

struct LauncherContext {
  HostFacts host;
  SeccompFilters filters;
  // The launcher is in an empty network namespace that is for this run alone. The sandbox inherits
  // it instead of making one, and has no capability in it.
  bool in_empty_network = false;
  std::string empty_network;         // then: its counters before any use, see network_books()
  os::Fd host_network;               // then: the network that the launcher left, for brokers
  std::optional<HostUser> user;      // for the next sandbox; none: host.why_no_own_user says why
  os::Fd root_mapping;               // HostIdentity::root_mapping of the default identity
  os::Fd mounts;                     // watch_mounts(), opened before `shared` was last checked
  std::optional<SharedView> shared;  // none: each view is made from the host's own folders
  // The empty root in which sandboxes are cloned. None: they are cloned among the host's mounts,
  // and leave these by themselves.
  std::optional<EmptyRoot> empty_root;
  // The sandbox of the run that is over. It is destroyed after the result is out, because the
  // kernel may need long to take its processes apart.
  std::shared_ptr<PreparedSandbox> used;
  std::optional<InputFeed> input;
  std::unique_ptr<ExecHost> execs;  // of a run that takes further commands
};
// Chooses `choices.pass` itself.
Result<LauncherContext> make_launcher_context(LaunchChoices choices = {});
// Makes `user` the host user of the next sandbox. Where that is an error, the sandbox runs as the
// owner of its files, as other sandboxes do.
void give_user(LauncherContext& launcher, Result<HostUser> user);

// Discards cancel signals that are already pending: they came before this process had a run, so
// they cannot be meant for it.
void forget_cancel_signals();

// The descriptors that come with the order of an attached run, beside its request; see
// contracts/launch.h.
struct Feed {
  os::Fd input;        // none: /dev/null
  int client = -1;     // its packet begins the run, its hang-up ends it; -1: not an attached run
  bool ahead = false;  // the command still lacks its last argument, which that packet brings
};

// launch() with a launcher that was made before. `prepared` is used if it fits the request, and
// ended if not; it may be nullptr.
contracts::SandboxResult launch_with(LauncherContext& launcher,
                                     std::unique_ptr<PreparedSandbox> prepared, Feed feed,
                                     const contracts::LaunchRequest& request, EventWriter& events,
                                     const Clock& clock);

}  // namespace paddock::sandbox
