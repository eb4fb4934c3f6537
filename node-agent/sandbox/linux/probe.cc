// Proves what this host can enforce by running a harmless command with every limit set.
#include <fcntl.h>

#include "node-agent/sandbox/launch.h"

namespace paddock::sandbox {

std::vector<contracts::Capability> probe(const Clock& clock) {
  contracts::LaunchRequest request;
  request.trace_id = "probe";
  request.command = {"true"};
  request.workdir = "/";
  request.env = contracts::minimal_environment(false);
  request.policy = *contracts::profile_policy("test");
  request.policy.allow_partial = true;
  EventWriter events(os::Fd(open("/dev/null", O_WRONLY | O_CLOEXEC)), clock);
  const contracts::SandboxResult result = launch(request, events, clock);
  const bool ran = result.status == contracts::SandboxStatus::kOk;
  std::vector<contracts::Capability> out = {
      {"sandbox", ran, "namespaces, seccomp, rlimits", ran ? "" : result.reason}};
  for (const auto& [name, enforcement] : result.enforced) {
    out.push_back({name, enforcement.applied, enforcement.mechanism,
                   ran ? enforcement.details : result.reason});
  }
  return out;
}

}  // namespace paddock::sandbox
