#include "node-agent/sandbox/plan/plan.h"

#include "node-agent/sandbox/plan/plan_parts.h"

namespace paddock::sandbox {

// Each part refuses what it cannot do: nothing that was asked for is ignored.
Result<SandboxPlan> make_plan(const contracts::LaunchRequest& request, const HostFacts& host) {
  SandboxPlan plan;
  TRY(check_request(request));
  TRY(check_host_mounts(request, host));
  TRY(plan_isolation(request, host, plan));
  TRY(plan_network(request, host, plan));
  TRY(plan_files(request, host, plan));
  TRY(plan_limits(request, host, plan));
  return plan;
}

}  // namespace paddock::sandbox
