// The steps between clone and exec: the init process (pid 1) closes the sandbox around itself and
// starts the command's process, which gives up all that is left and waits. Then it is told what to
// execute. All but the last may happen before there is a request.
#pragma once

#include <vector>

#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/linux/seccomp/seccomp_program.h"
#include "node-agent/sandbox/plan/plan.h"

namespace paddock::sandbox {

// What a child needs to know that makes the view itself, where the launcher cannot: an ordinary
// user's, and one on a kernel that does not mount on detached trees.
struct OwnView {
  const SandboxPlan& plan;
  std::vector<os::Fd> sources;  // opened by a privileged launcher; empty otherwise
};

struct ChildContext {
  const SeccompFilters& filters;
  const Cgroup& cgroup;
  bool privileged = false;  // the launcher
  int user_lock = -1;       // of the user of the host that it has to itself
  bool detached_trees = false;
  bool in_empty_root = false;   // it was cloned without the host's mounts, and gets its /proc too
  OwnView* own_view = nullptr;  // none: the launcher sends one
  int control = -1;
  int out = -1;
  int err = -1;
  const BrokerConfig* broker_config = nullptr;  // none: no network
  int broker = -1;                              // where its network broker waits
  bool own_network = false;                     // made for it; else it is in the launcher's
  bool loopback = false;  // brings up that of its network, which is its own and has no broker
  os::Fd view = {};       // the command's root; init holds it as long as it lives
  os::Fd ruleset = {};    // Landlock's, of an own view; init holds it as well
  // For a command that is executed in a run: the run's user namespace, and a descriptor that is
  // closed as soon as the command executes.
  os::Fd users = {};
  os::Fd executing = {};
  int terminal = 0;  // packed size; 0: it has none
  // How far the command's process came, which shares this memory until it executes.
  enum class Command { kPrepares, kHasToldWhyNot, kExecutes };
  volatile Command command = Command::kPrepares;
};

// The namespaces that the init process is cloned into; the network is new unless the launcher's own
// is the run's.
uint64_t init_namespaces(bool inherits_network);
// Runs in the cloned child. Ends with the command's process and everything that it left behind.
[[noreturn]] void run_init(ChildContext& context);

}  // namespace paddock::sandbox
