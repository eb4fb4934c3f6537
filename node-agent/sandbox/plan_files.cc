#include "node-agent/sandbox/plan_parts.h"

namespace paddock::sandbox {

Status plan_files(const contracts::LaunchRequest& request, const HostFacts& host,
                  SandboxPlan& plan) {
  if (!request.policy.devices.empty()) {
    return refuse("DEVICE_UNAVAILABLE",
                  "this node gives no device to a sandbox; leave devices empty");
  }
  if (!request.policy.tools.empty()) {
    return refuse("TOOLS_UNSUPPORTED",
                  "this node cannot narrow the executables; leave tools empty");
  }
  plan.enforced["filesystem"] = by_kernel(
      "private", "mount namespace, pivot_root, read-only view",
      "system folders and the request's mounts only; size of writable mounts is not limited");
  const contracts::SandboxLimits& limits = request.policy.limits;
  const char* scratch =
      "/tmp and /dev/shm together; mounted folders such as /workspace are not covered";
  if (limits.fs_bytes)
    plan.enforced["fsBytes"] = by_kernel(requested(limits.fs_bytes), "tmpfs size", scratch);
  if (limits.file_count)
    plan.enforced["fileCount"] = by_kernel(*limits.file_count, "tmpfs nr_inodes", scratch);
  plan.mounts = render_mounts(request, host);
  return {};
}

}  // namespace paddock::sandbox
