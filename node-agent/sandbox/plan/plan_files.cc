#include <algorithm>

#include "node-agent/sandbox/plan/plan_parts.h"

namespace paddock::sandbox {
namespace {

uint64_t tcp_granted(const NetworkReach& reach) {
  if (reach.loopback) return landlock::kBindTcp | landlock::kConnectTcp;
  return reach.broker || !reach.gateway.empty() ? landlock::kConnectTcp : 0;
}

const char* refused_tcp(uint64_t rights) {
  if ((rights & landlock::kConnectTcp) != 0) return "; no TCP";
  return rights != 0 ? "; no TCP listener" : "";
}

void plan_second_wall(const HostFacts& host, SandboxPlan& plan) {
  LandlockQuestion question{.version = host.landlock, .network = tcp_granted(plan.reach)};
  if (plan.tools.narrowed) only_tools(plan.tools, question);
  plan.landlock = render_landlock(plan.mounts, question);
  if (plan.landlock.files == 0) {
    plan.enforced["landlock"] =
        by_nothing("second wall", "LANDLOCK_UNAVAILABLE",
                   "the mounts alone decide; Linux 5.19 or later with landlock in "
                   "the boot parameter lsm= would check every access again");
    return;
  }
  plan.enforced["landlock"] = by_kernel(
      "second wall", cat("Landlock version ", host.landlock),
      cat("checks files again, beside the mounts", refused_tcp(plan.landlock.network),
          plan.landlock.scopes != 0 ? "; no signal or abstract socket to the outside" : ""));
}

// The folder of the request that the command may fill: the workspace, or where an environment is
// being built.
auto writable_folder(const contracts::LaunchRequest& request) {
  const auto writable = [](const contracts::LaunchMount& mount) {
    return mount.mode == contracts::MountMode::kReadWrite;
  };
  const auto workspace = std::ranges::find_if(request.mounts, [&](const auto& mount) {
    return writable(mount) && mount.sandbox_path == contracts::kSandboxWorkspace;
  });
  return workspace != request.mounts.end() ? workspace
                                           : std::ranges::find_if(request.mounts, writable);
}

// No mechanism of the kernel bounds one folder of a file system that others use too.
void plan_workspace(const contracts::LaunchRequest& request, const HostFacts& host,
                    SandboxPlan& plan) {
  const contracts::SandboxLimits& limits = request.policy.limits;
  const auto mount = writable_folder(request);
  if (mount == request.mounts.end() || (!limits.fs_bytes && !limits.file_count)) return;
  plan.workspace = WorkspaceQuota{.folder = mount->host_path,
                                  .whole = request.whole_workspace,
                                  .overfull = request.overfull_workspace,
                                  .layered = !mount->lower_path.empty(),
                                  .bytes = {},
                                  .files = limits.file_count};
  if (limits.fs_bytes) plan.workspace->bytes = limits.fs_bytes->bytes;
  const bool still = host.cgroup.freezes();
  const auto measured = [&](wire::Value wanted) {
    const std::string details =
        cat("what ", mount->sandbox_path, request.whole_workspace ? " holds;" : " grows by;",
            " checked every 100 ms or more, and when the command has ended");
    if (still) {
      return by_polling(std::move(wanted),
                        "measured by the launcher while the cgroup stands still, then SIGKILL",
                        cat(details, "; files on their way through a socket for 2 s at most"));
    }
    return weaker(by_polling(std::move(wanted), "measured by the launcher, then SIGKILL",
                             cat(details,
                                 "; it goes on meanwhile, for 5 s at most where its "
                                 "processes hinder that, and can miss files without a "
                                 "name that are moved about; ",
                                 host.cgroup.why_not)),
                  "CGROUP_UNAVAILABLE");
  };
  if (limits.fs_bytes) plan.enforced["workspaceBytes"] = measured(requested(limits.fs_bytes));
  if (limits.file_count) plan.enforced["workspaceFiles"] = measured(*limits.file_count);
}

}  // namespace

Status plan_files(const contracts::LaunchRequest& request, const HostFacts& host,
                  SandboxPlan& plan) {
  plan.enforced["filesystem"] = by_kernel("private", "mount namespace, pivot_root, read-only view",
                                          "system folders and the request's mounts only");
  const contracts::SandboxLimits& limits = request.policy.limits;
  const char* scratch =
      "/tmp and /dev/shm together; /workspace has a quota of its own, other mounts have none";
  if (limits.fs_bytes)
    plan.enforced["fsBytes"] = by_kernel(requested(limits.fs_bytes), "tmpfs size", scratch);
  if (limits.file_count)
    plan.enforced["fileCount"] = by_kernel(*limits.file_count, "tmpfs nr_inodes", scratch);
  plan_workspace(request, host, plan);
  plan.mounts = render_mounts(request, host);
  TRY(plan_devices(request, host, plan));
  TRY(plan_tools(request, host, plan));
  plan_second_wall(host, plan);
  plan.share.mounts = mounts_text(plan.mounts);
  return {};
}

}  // namespace paddock::sandbox
