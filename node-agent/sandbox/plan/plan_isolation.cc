#include "node-agent/sandbox/plan/plan_parts.h"

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

void tell_of_user(const HostFacts& host, SandboxPlan& plan) {
  if (plan.privileged && host.own_user) {
    plan.enforced["accounts"] =
        by_kernel("own", "uid of its own", "what the kernel counts by user is no other sandbox's");
  } else if (plan.privileged) {
    share_user(host.why_no_own_user, plan);
  } else {
    plan.enforced["accounts"] = by_nothing(
        "own", "NO_ROOT", "the calling user's: only a launcher of root can give another");
  }
}

}  // namespace

void share_user(std::string_view why, SandboxPlan& plan) {
  plan.host_uid = plan.files_owner;
  plan.host_gid = static_cast<gid_t>(plan.host_uid);
  plan.enforced["accounts"] = by_nothing(
      "own", "NO_OWN_USER", cat("those of uid ", plan.host_uid, ", as other sandboxes: ", why));
}

Status plan_isolation(const contracts::LaunchRequest& request, const HostFacts& host,
                      SandboxPlan& plan) {
  plan.privileged = host.privileged;
  add_share(request, host, plan);
  if (host.privileged) {
    plan.files_owner = static_cast<uid_t>(request.uid.value_or(kDefaultHostId));
    plan.host_uid = host.own_user.value_or(plan.files_owner);
    plan.host_gid = static_cast<gid_t>(plan.host_uid);
  } else {
    if (host.uid == 0)
      return refuse("LAUNCHER_LACKS_CAPABILITIES",
                    "the launcher is root without CAP_SYS_ADMIN, CAP_SETUID and CAP_SETGID; run it "
                    "as an ordinary user, or give it these");
    plan.host_uid = plan.files_owner = host.uid;
    plan.host_gid = host.gid;
  }
  plan.enforced["processes"] =
      by_kernel("private", "pid, ipc and uts namespaces", "killed as a whole");
  plan.enforced["privileges"] = by_kernel(
      "none", "user namespaces, no_new_privs, empty capability sets",
      plan.privileged
          ? std::string("runs as an ordinary user of the host, without groups")
          : std::string("runs as the calling user, whose supplementary groups cannot be dropped"));
  tell_of_user(host, plan);
  plan.enforced["syscalls"] = by_kernel("deny list", "seccomp");
  plan.enforced["environment"] = by_kernel("exact", "execve", "only the variables of the request");
  plan.enforced["output"] = by_broker("capped", "pipes drained by the launcher");
  return {};
}

}  // namespace paddock::sandbox
