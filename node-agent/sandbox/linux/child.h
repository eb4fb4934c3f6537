// What happens between clone and exec: the init process (pid 1) builds the sandbox around itself
// and starts the command, which then gives up everything that is left.
#pragma once

#include <vector>

#include "node-agent/sandbox/linux/cgroup.h"
#include "node-agent/sandbox/plan.h"
#include "node-agent/sandbox/seccomp_program.h"

namespace paddock::sandbox {

struct ChildContext {
  const contracts::LaunchRequest& request;
  const SandboxPlan& plan;
  const SeccompFilters& filters;
  const Cgroup& cgroup;
  std::vector<os::Fd> sources;  // opened by a privileged launcher; empty otherwise
  int control = -1;
  int out = -1;
  int err = -1;
  int exec_witness = -1;  // closed by a successful exec
  int broker = -1;        // where its network broker waits, if the plan has one
  os::Fd view = {};       // the command's root; init holds it as long as it lives
};

// The namespaces that the init process is cloned into; the network is new unless the launcher's own
// is the run's.
uint64_t init_namespaces(bool inherits_network);
// Runs in the cloned child. Ends with the command's process and everything that it left behind.
[[noreturn]] void run_init(ChildContext& context);

}  // namespace paddock::sandbox
