#include "node-agent/sandbox/plan.h"

#include "common/wire/describe.h"

namespace paddock::sandbox {
namespace {

using contracts::Enforcement;
using contracts::EnforcementLevel;
using contracts::LaunchRequest;
using wire::encode;
using wire::Value;

Error refuse(const char* reason, std::string message) {
  return {Code::kFailedPrecondition, reason, std::move(message)};
}

// What this sandbox does not know how to do is refused, never ignored.
Status check_supported(const LaunchRequest& request) {
  const contracts::SandboxPolicy& policy = request.policy;
  if (policy.network && policy.network->enabled) {
    return refuse("NETWORK_UNAVAILABLE",
                  "this node runs commands without a network only; leave network.enabled false");
  }
  if (!policy.devices.empty()) {
    return refuse("DEVICE_UNAVAILABLE",
                  "this node gives no device to a sandbox; leave devices empty");
  }
  if (!policy.tools.empty()) {
    return refuse("TOOLS_UNSUPPORTED",
                  "this node cannot narrow the executables; leave tools empty");
  }
  return {};
}

Status check_mount(const std::string& host_path, const std::string& sandbox_path) {
  if (host_path.empty() || host_path[0] != '/') {
    return refuse("INVALID_MOUNT",
                  cat("the source of the mount at ", sandbox_path, " is not an absolute path"));
  }
  if (!may_be_target(sandbox_path)) {
    return refuse("INVALID_MOUNT",
                  cat("nothing can be mounted at ", sandbox_path,
                      ": it is not a clean absolute path, or the system is there"));
  }
  return {};
}

Status check_request(const LaunchRequest& request) {
  for (const auto& mount : request.mounts) TRY(check_mount(mount.host_path, mount.sandbox_path));
  for (const auto& mount : request.policy.host_mounts)
    TRY(check_mount(mount.host_path, mount.sandbox_path));
  if (request.workdir.empty() || request.workdir[0] != '/') {
    return refuse("INVALID_WORKDIR", "workdir is not an absolute path");
  }
  if (request.command.empty() || request.command[0].empty()) {
    return refuse("INVALID_COMMAND", "the command is empty");
  }
  int64_t bytes = 0;
  for (const std::string& word : request.command) {
    if (word.find('\0') != std::string::npos)
      return refuse("INVALID_COMMAND", "the command contains a NUL byte");
    bytes += static_cast<int64_t>(word.size()) + 1;
  }
  for (const auto& [name, value] : request.env) {
    if (name.empty() || name.find('=') != std::string::npos ||
        name.find('\0') != std::string::npos || value.find('\0') != std::string::npos) {
      return refuse("INVALID_ENVIRONMENT", "a variable's name is empty or has '=' or a NUL byte");
    }
  }
  const auto& limit = request.policy.limits.command_bytes;
  if (limit && bytes > limit->bytes + 1) {
    return Error{
        Code::kTooLarge, "COMMAND_TOO_LARGE",
        cat("the command has ", bytes - 1, " bytes; at most ", limit->bytes, " are allowed")};
  }
  return {};
}

bool pids_counted_per_namespace(const HostFacts& host) {
  return host.kernel_major > 5 || (host.kernel_major == 5 && host.kernel_minor >= 14);
}

const char* cgroup_name(const HostFacts& host) {
  return host.cgroup.version == CgroupFacts::Version::kV2 ? "cgroup v2 " : "cgroup v1 ";
}

template <class T>
Value requested(const std::optional<T>& limit) {
  return limit ? encode(*limit) : Value();
}

Enforcement by_kernel(Value wanted, std::string mechanism, std::string details = {}) {
  return {std::move(wanted), false, std::move(mechanism), EnforcementLevel::kKernel,
          std::move(details)};
}

void add_isolation(const SandboxPlan& plan, std::map<std::string, Enforcement>& out) {
  out["filesystem"] = by_kernel(
      "private", "mount namespace, pivot_root, read-only view",
      "system folders and the request's mounts only; size of writable mounts is not limited");
  out["network"] = by_kernel("none", "network namespace without devices, seccomp notification",
                             "local sockets inside the sandbox work");
  out["processes"] = by_kernel("private", "pid, ipc and uts namespaces", "killed as a whole");
  out["privileges"] = by_kernel(
      "none", "user namespaces, no_new_privs, empty capability sets",
      plan.privileged
          ? cat("runs as uid ", plan.host_uid, " of the host")
          : std::string("runs as the calling user, whose supplementary groups cannot be dropped"));
  out["syscalls"] = by_kernel("deny list", "seccomp");
  out["environment"] = by_kernel("exact", "execve", "only the variables of the request");
  out["output"] = {"capped", false, "pipes drained by the launcher", EnforcementLevel::kBroker, ""};
}

Status add_memory(const LaunchRequest& request, const HostFacts& host, SandboxPlan& plan) {
  const auto& limit = request.policy.limits.memory;
  if (!limit) return {};
  if (!host.cgroup.memory.empty()) {
    plan.cgroup.memory_bytes = limit->bytes;
    plan.enforced["memory"] = by_kernel(requested(limit), cat(cgroup_name(host), "memory"),
                                        "all processes and scratch files together");
    return {};
  }
  plan.enforced["memory"] =
      by_kernel(requested(limit), "RLIMIT_AS",
                cat("address space per process, not the sum; ", host.cgroup.why_not));
  return {};
}

Status add_pids(const LaunchRequest& request, const HostFacts& host, SandboxPlan& plan) {
  const auto& limit = request.policy.limits.pids;
  if (!limit) return {};
  const bool by_rlimit = pids_counted_per_namespace(host);
  if (!host.cgroup.pids.empty()) {
    plan.cgroup.pids = *limit;
    plan.enforced["pids"] =
        by_kernel(*limit, cat(cgroup_name(host), "pids", by_rlimit ? ", RLIMIT_NPROC" : ""));
    return {};
  }
  if (by_rlimit) {
    plan.enforced["pids"] =
        by_kernel(*limit, "RLIMIT_NPROC", "counted in the run's own user namespace");
    return {};
  }
  if (!request.policy.allow_partial) {
    return refuse("PIDS_UNENFORCEABLE", cat("this host cannot limit pids: ", host.cgroup.why_not,
                                            "; or use Linux 5.14 or later, or set allowPartial"));
  }
  plan.partial = true;
  plan.enforced["pids"] = {*limit, false, "", EnforcementLevel::kNone, host.cgroup.why_not};
  return {};
}

void add_cpu(const LaunchRequest& request, const HostFacts& host, SandboxPlan& plan) {
  plan.cgroup.cpu_accounting = !host.cgroup.cpu.empty();
  const auto& limit = request.policy.limits.cpu_time;
  if (!limit) return;
  plan.cpu_time = limit->value;
  plan.enforced["cpuTime"] =
      plan.cgroup.cpu_accounting
          ? by_kernel(requested(limit), cat("RLIMIT_CPU, ", cgroup_name(host), "accounting"),
                      "per process by the kernel; the sum is watched by the launcher")
          : by_kernel(requested(limit), "RLIMIT_CPU", "per process, not the sum");
}

void add_files(const LaunchRequest& request, const HostFacts& host, SandboxPlan& plan) {
  const contracts::SandboxLimits& limits = request.policy.limits;
  const auto lower = [](int64_t wanted, uint64_t ceiling) {
    return static_cast<uint64_t>(wanted) > ceiling
               ? cat("this host's own limit is lower: ", ceiling)
               : std::string();
  };
  if (limits.open_files) {
    plan.enforced["openFiles"] = by_kernel(*limits.open_files, "RLIMIT_NOFILE",
                                           lower(*limits.open_files, host.hard_open_files));
  }
  if (limits.file_size) {
    plan.enforced["fileSize"] = by_kernel(requested(limits.file_size), "RLIMIT_FSIZE",
                                          lower(limits.file_size->bytes, host.hard_file_size));
  }
  const char* scratch =
      "/tmp and /dev/shm together; mounted folders such as /workspace are not covered";
  if (limits.fs_bytes)
    plan.enforced["fsBytes"] = by_kernel(requested(limits.fs_bytes), "tmpfs size", scratch);
  if (limits.file_count)
    plan.enforced["fileCount"] = by_kernel(*limits.file_count, "tmpfs nr_inodes", scratch);
}

}  // namespace

Result<SandboxPlan> make_plan(const LaunchRequest& request, const HostFacts& host) {
  TRY(check_supported(request));
  TRY(check_request(request));
  const contracts::SandboxLimits& limits = request.policy.limits;
  SandboxPlan plan;
  plan.privileged = host.privileged;
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
  add_isolation(plan, plan.enforced);
  TRY(add_memory(request, host, plan));
  TRY(add_pids(request, host, plan));
  add_cpu(request, host, plan);
  add_files(request, host, plan);
  if (limits.wall_time) {
    plan.wall_time = limits.wall_time->value;
    plan.enforced["wallTime"] = {requested(limits.wall_time), false,
                                 "the launcher's timer, then SIGKILL to the pid namespace",
                                 EnforcementLevel::kBroker, ""};
  }
  constexpr int64_t kDefaultOutputBytes = int64_t{1} << 20;
  plan.stdout_bytes = limits.stdout_bytes ? limits.stdout_bytes->bytes : kDefaultOutputBytes;
  plan.stderr_bytes = limits.stderr_bytes ? limits.stderr_bytes->bytes : kDefaultOutputBytes;
  plan.mounts = render_mounts(request, host);
  plan.rlimits = render_rlimits(limits, host, !plan.cgroup.memory_bytes.has_value());
  return plan;
}

}  // namespace paddock::sandbox
