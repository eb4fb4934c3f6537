// The step of RunLife that tells a host which cannot set up sandboxes any more from a run whose
// sandbox no such host could set up.
#include "common/base/text.h"
#include "common/contracts/sandbox_refusal.h"
#include "node-agent/executor/run_life.h"

namespace paddock::executor {

std::optional<Error> RunLife::lost_sandbox(const contracts::SandboxResult& result) {
  if (ports_.sandbox == nullptr || !contracts::may_be_the_hosts(result)) return std::nullopt;
  if (!ports_.sandbox->lost_since(accepted_, stop_)) return std::nullopt;
  return Error{Code::kInternal, "SANDBOX_SETUP_FAILED",
               cat("the node cannot set up such sandboxes any more: ", result.reason)};
}

// What its launcher did is not known, so the run is not asked about.
void RunLife::doubt_sandbox() const {
  if (ports_.sandbox != nullptr) ports_.sandbox->doubt();
}

}  // namespace paddock::executor
