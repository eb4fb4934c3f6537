#include "node-agent/sandbox/plan_parts.h"

namespace paddock::sandbox {
namespace {

void plan_second_wall(const contracts::LaunchRequest& request, const HostFacts& host,
                      SandboxPlan& plan) {
  const auto& network = request.policy.network;
  plan.landlock = render_landlock(
      plan.mounts, {.version = host.landlock, .network = network && network->enabled});
  if (plan.landlock.files == 0) {
    plan.enforced["landlock"] = {"second wall", false, "", contracts::EnforcementLevel::kNone,
                                 "the mounts alone decide; Linux 5.19 or later with landlock in "
                                 "the boot parameter lsm= would check every access again"};
    return;
  }
  plan.enforced["landlock"] = by_kernel(
      "second wall", cat("Landlock version ", host.landlock),
      cat("checks files again, beside the mounts", plan.landlock.network != 0 ? "; no TCP" : "",
          plan.landlock.scopes != 0 ? "; no signal or abstract socket to the outside" : ""));
}

}  // namespace

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
  plan_second_wall(request, host, plan);
  return {};
}

}  // namespace paddock::sandbox
