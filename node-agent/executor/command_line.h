// The command line that is executed for a run: the caller's command, with what its type adds. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/run.h"

namespace paddock::executor {

// Python of a compute run gets -u, so that its log is live. Gradle gets its options first: no
// daemon (it would outlive nothing here), a home inside the workspace, where a project may bring
// its dependencies along, and, unless the policy has a network,
// --offline, so that a missing dependency is said at once. A test run's `pytest` is the module of
// the Python that the run has; common/test_report starts it. Code is a program of its own
// (node-agent/code).
std::vector<std::string> command_line(const contracts::RunSpec& spec,
                                      const contracts::SandboxPolicy& policy);

}  // namespace paddock::executor
