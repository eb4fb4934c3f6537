#include "node-agent/executor/lost_sandbox.h"

#include "common/base/text.h"
#include "common/contracts/sandbox_refusal.h"

namespace paddock::executor {

std::optional<Error> lost_sandbox(const StepContext& run, const contracts::SandboxResult& result) {
  HostSandbox* const host = run.ports.sandbox;
  if (host == nullptr || !contracts::may_be_the_hosts(result)) return std::nullopt;
  if (!host->lost_since(run.accepted, run.stop)) return std::nullopt;
  return Error{Code::kInternal, "SANDBOX_SETUP_FAILED",
               cat("the node cannot set up such sandboxes any more: ", result.reason)};
}

void doubt_sandbox(const ExecutorPorts& ports) {
  if (ports.sandbox != nullptr) ports.sandbox->doubt();
}

}  // namespace paddock::executor
