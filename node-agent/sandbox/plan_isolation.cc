#include "node-agent/sandbox/plan_parts.h"

namespace paddock::sandbox {
namespace {

void add_share(const contracts::LaunchRequest& request, const HostFacts& host, SandboxPlan& plan) {
  const contracts::SandboxLimits& limits = request.policy.limits;
  plan.share = {.machine = host.machine,
                .processors = choose_processors(*host.machine, request, host.turn),
                .memory_bytes = {},
                .pids = limits.pids};
  if (limits.memory) plan.share.memory_bytes = limits.memory->bytes;
}

}  // namespace

Status plan_isolation(const contracts::LaunchRequest& request, const HostFacts& host,
                      SandboxPlan& plan) {
  plan.privileged = host.privileged;
  add_share(request, host, plan);
  if (host.privileged) {
    plan.host_uid = static_cast<uid_t>(request.uid.value_or(kDefaultHostId));
    plan.host_gid = static_cast<gid_t>(plan.host_uid);
  } else {
    if (host.uid == 0)
      return refuse("LAUNCHER_LACKS_CAPABILITIES",
                    "the launcher is root without CAP_SYS_ADMIN, CAP_SETUID and CAP_SETGID; run it "
                    "as an ordinary user, or give it these");
    plan.host_uid = host.uid;
    plan.host_gid = host.gid;
  }
  plan.enforced["processes"] =
      by_kernel("private", "pid, ipc and uts namespaces", "killed as a whole");
  plan.enforced["privileges"] = by_kernel(
      "none", "user namespaces, no_new_privs, empty capability sets",
      plan.privileged
          ? cat("runs as uid ", plan.host_uid, " of the host")
          : std::string("runs as the calling user, whose supplementary groups cannot be dropped"));
  plan.enforced["syscalls"] = by_kernel("deny list", "seccomp");
  plan.enforced["environment"] = by_kernel("exact", "execve", "only the variables of the request");
  plan.enforced["output"] = by_broker("capped", "pipes drained by the launcher");
  return {};
}

}  // namespace paddock::sandbox
