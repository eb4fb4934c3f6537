#include "node-agent/sandbox/plan_parts.h"

namespace paddock::sandbox {
namespace {

void plan_second_wall(const contracts::LaunchRequest& request, const HostFacts& host,
                      SandboxPlan& plan) {
  const auto& network = request.policy.network;
  LandlockQuestion question{.version = host.landlock, .network = network && network->enabled};
  question.only_executables = plan.tools.narrowed;
  question.executables = plan.tools.files;
  question.executables.insert(question.executables.end(), plan.tools.loaders.begin(),
                              plan.tools.loaders.end());
  plan.landlock = render_landlock(plan.mounts, question);
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
  TRY(plan_devices(request, host, plan));
  TRY(plan_tools(request, host, plan));
  plan_second_wall(request, host, plan);
  return {};
}

}  // namespace paddock::sandbox
