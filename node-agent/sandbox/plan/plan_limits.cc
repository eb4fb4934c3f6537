#include <algorithm>
#include <array>

#include "common/base/units.h"
#include "node-agent/sandbox/plan/missing_limits.h"
#include "node-agent/sandbox/plan/plan_parts.h"

namespace paddock::sandbox {
namespace {

using contracts::LaunchRequest;

bool pids_counted_per_namespace(const HostFacts& host) {
  return host.kernel_major > 5 || (host.kernel_major == 5 && host.kernel_minor >= 14);
}

const char* cgroup_name(const HostFacts& host) {
  return host.cgroup.version == CgroupFacts::Version::kV2 ? "cgroup v2 " : "cgroup v1 ";
}

// Their drivers reserve far more address space than they ever use.
bool has_accelerator(const contracts::SandboxPolicy& policy) {
  constexpr std::array kPrefixes = {"/dev/nvidia", "/dev/nvhost", "/dev/dxg",
                                    "/dev/dri/",   "/dev/kfd",    "/dev/accel"};
  return std::ranges::any_of(policy.devices, [&](const std::string& device) {
    return std::ranges::any_of(kPrefixes,
                               [&](const char* prefix) { return device.starts_with(prefix); });
  });
}

// Beside the memory that a cgroup counts. Honest sockets hold little, but the kernel gives each
// pair some megabytes.
int64_t socket_share(int64_t memory) {
  constexpr int64_t kLeast = int64_t{32} << 20;
  constexpr int64_t kMost = int64_t{1} << 30;
  return std::max({kLeast, std::min(memory / 2, kMost), memory / 8});
}

Status add_memory(const LaunchRequest& request, const HostFacts& host, SandboxPlan& plan) {
  const auto& limit = request.policy.limits.memory;
  if (!limit) return {};
  plan.socket_bytes = socket_share(limit->bytes);
  const std::string sockets =
      cat("what sockets hold besides, up to ", format_quantity(*plan.socket_bytes),
          ", is counted by the launcher, and as much for open folders");
  if (!host.cgroup.memory.empty()) {
    plan.cgroup.memory_bytes = limit->bytes;
    plan.enforced["memory"] = by_kernel(requested(limit), cat(cgroup_name(host), "memory"),
                                        cat("all processes and scratch files together; ", sockets));
    return {};
  }
  if (!has_accelerator(request.policy)) {
    plan.process_memory.private_bytes = limit->bytes;
    plan.enforced["memory"] =
        weaker(by_kernel(requested(limit), "RLIMIT_DATA",
                         cat("private memory per process, not the sum; as much that it shares is "
                             "seen by the launcher; ",
                             sockets, "; ", host.cgroup.why_not)),
               "PER_PROCESS");
    return {};
  }
  if (!request.policy.allow_partial) {
    return refuse("MEMORY_UNENFORCEABLE",
                  cat("this host cannot limit the memory of a run with an accelerator: ",
                      host.cgroup.why_not, "; or set allowPartial"));
  }
  plan.partial = true;
  plan.enforced["memory"] =
      by_nothing(requested(limit), "CGROUP_UNAVAILABLE",
                 cat("an accelerator needs more address space; ", host.cgroup.why_not));
  return {};
}

void add_address_space(const LaunchRequest& request, SandboxPlan& plan) {
  const auto& limit = request.policy.limits.address_space;
  if (!limit) return;
  if (has_accelerator(request.policy)) {
    plan.enforced["addressSpace"] = by_nothing(
        requested(limit), "ACCELERATOR_ADDRESS_SPACE",
        "replaced by the memory limit: an accelerator's driver reserves more address space than "
        "it uses");
    return;
  }
  plan.process_memory.address_space = limit->bytes;
  plan.enforced["addressSpace"] = by_kernel(requested(limit), "RLIMIT_AS", "of each process");
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
  plan.enforced["pids"] = by_nothing(*limit, "CGROUP_UNAVAILABLE", host.cgroup.why_not);
  return {};
}

void add_cpu_time(const LaunchRequest& request, const HostFacts& host, SandboxPlan& plan) {
  plan.cgroup.cpu_accounting = !host.cgroup.cpu.empty();
  const auto& limit = request.policy.limits.cpu_time;
  if (!limit) return;
  plan.cpu_time = limit->value;
  plan.enforced["cpuTime"] =
      plan.cgroup.cpu_accounting
          ? by_kernel(requested(limit), cat("RLIMIT_CPU, ", cgroup_name(host), "accounting"),
                      "per process by the kernel; the sum is watched by the launcher")
          : weaker(by_kernel(requested(limit), "RLIMIT_CPU", "per process, not the sum"),
                   "PER_PROCESS");
}

void add_cpus(const LaunchRequest& request, const HostFacts& host, SandboxPlan& plan) {
  if (!request.cpus) return;
  if (host.cgroup.bandwidth.empty()) {
    const CgroupFacts& facts = host.cgroup;
    const std::string& why =
        facts.why_no_bandwidth.empty() ? facts.why_not : facts.why_no_bandwidth;
    AbsentLimits("CGROUP_UNAVAILABLE",
                 why.empty() ? "this kernel does not bound them" : why.c_str(), plan.enforced)
        .add_cpus(request.cpus);
    return;
  }
  plan.cgroup.cpus = *request.cpus;
  plan.enforced["cpus"] =
      by_kernel(*request.cpus, cat(cgroup_name(host), "cpu"), "of all processes together");
}

void add_descriptors(const LaunchRequest& request, const HostFacts& host, SandboxPlan& plan) {
  const contracts::SandboxLimits& limits = request.policy.limits;
  const auto below = [](uint64_t ceiling, int64_t wanted, contracts::Enforcement enforcement) {
    if (static_cast<uint64_t>(wanted) <= ceiling) return enforcement;
    enforcement.details = cat("this host's own limit is lower: ", ceiling);
    return weaker(std::move(enforcement), "HOST_LIMIT_LOWER");
  };
  if (limits.open_files) {
    plan.enforced["openFiles"] = below(host.hard_open_files, *limits.open_files,
                                       by_kernel(*limits.open_files, "RLIMIT_NOFILE"));
  }
  if (limits.file_size) {
    plan.enforced["fileSize"] = below(host.hard_file_size, limits.file_size->bytes,
                                      by_kernel(requested(limits.file_size), "RLIMIT_FSIZE"));
  }
}

}  // namespace

Status plan_limits(const LaunchRequest& request, const HostFacts& host, SandboxPlan& plan) {
  TRY(add_memory(request, host, plan));
  add_address_space(request, plan);
  TRY(add_pids(request, host, plan));
  add_cpu_time(request, host, plan);
  add_cpus(request, host, plan);
  add_descriptors(request, host, plan);
  plan.launcher = launcher_limits(request);
  if (plan.launcher.wall_time)
    plan.enforced["wallTime"] = wall_time_by_signals(request, "pid namespace");
  plan.rlimits = render_rlimits(request.policy.limits, plan.process_memory, host);
  return {};
}

}  // namespace paddock::sandbox
