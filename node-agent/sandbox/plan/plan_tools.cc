#include "node-agent/sandbox/plan/plan_parts.h"

namespace paddock::sandbox {

Status plan_tools(const contracts::LaunchRequest& request, const HostFacts& host,
                  SandboxPlan& plan) {
  if (request.policy.tools.empty()) return {};
  if (host.landlock < landlock::kLeastVersion) {
    return refuse("TOOLS_UNSUPPORTED",
                  "this host cannot narrow the executables: Linux 5.19 or later with landlock in "
                  "the boot parameter lsm= is needed; or leave tools empty");
  }
  ASSIGN_OR_RETURN(plan.tools, make_tool_view(host.named->tools));
  plan.mounts = narrow_to_tools(std::move(plan.mounts), *host.named);
  plan.enforced["tools"] =
      by_kernel(wire::encode(request.policy.tools),
                "Landlock's right to execute; loaders that execute nothing by themselves; no "
                "executable memory files; noexec",
                "a listed interpreter runs any script that it is given to read, and what it writes "
                "into its own memory as code");
  return {};
}

}  // namespace paddock::sandbox
