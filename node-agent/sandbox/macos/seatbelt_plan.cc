#include "node-agent/sandbox/macos/seatbelt_plan.h"

#include <sys/resource.h>

#include "common/base/text.h"
#include "node-agent/sandbox/macos/seatbelt.h"
#include "node-agent/sandbox/plan/missing_limits.h"
#include "node-agent/sandbox/plan/plan_parts.h"
#include "node-agent/sandbox/plan/request_check.h"

namespace paddock::sandbox {
namespace {

using contracts::Enforcement;
using contracts::EnforcementLevel;
using contracts::LaunchRequest;

constexpr Reason kLacking = "SYSTEM_LACKS_IT";

Status refuse_devices(const std::vector<std::string>& devices) {
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] == contracts::kAppleGpu) continue;
    return refuse("DEVICES_UNSUPPORTED",
                  cat("devices[", i, "]: macOS hosts can pass ", contracts::kAppleGpu,
                      " and nothing else; name that alone, or leave devices empty"));
  }
  return {};
}

Status refuse_what_is_not_built(const LaunchRequest& request, const SeatbeltHost& host) {
  const contracts::SandboxPolicy& policy = request.policy;
  if (host.root)
    return refuse("LAUNCHER_IS_ROOT", "on macOS commands run as the calling user; run as another");
  if (policy.network && policy.network->enabled)
    return refuse("NETWORK_UNAVAILABLE",
                  "macOS hosts run commands without a network only; leave network.enabled false");
  TRY(refuse_devices(policy.devices));
  if (!policy.tools.empty())
    return refuse("TOOLS_UNSUPPORTED",
                  "macOS hosts cannot narrow the executables; leave tools empty");
  return {};
}

void translate_paths(const LaunchRequest& request, const RunPaths& paths, SeatbeltPlan& plan) {
  std::vector<ResolvedMount> mounts = paths.mounts;
  mounts.push_back({paths.scratch, std::string(contracts::kSandboxTmp), true});
  mounts.push_back({paths.policy, std::string(contracts::kSandboxPolicyFile), false});
  plan.workdir = on_host(request.workdir, mounts);
  plan.command = request.command;
  plan.command[0] = on_host(plan.command[0], mounts);
  for (const auto& [name, value] : request.env) {
    std::vector<std::string> parts = split(value, ':');
    for (std::string& part : parts) part = on_host(part, mounts);
    plan.env[name] = join(parts, ":");
  }
}

Enforcement of_group(wire::Value wanted, std::string mechanism) {
  return by_polling(
      std::move(wanted), std::move(mechanism),
      "of the process group, every 100 ms: what is quicker is not seen, and a process that "
      "leaves the group (setsid) is not counted");
}

void plan_isolation(const std::optional<contracts::NetworkPolicy>& network, SeatbeltPlan& plan) {
  plan.enforced["filesystem"] =
      by_kernel("private", "seatbelt (sandbox-exec)",
                "paths are the host's own; names and sizes of the folders above them can be seen; "
                "attempts are refused but not reported");
  plan.enforced["network"] =
      by_kernel("none", "seatbelt (sandbox-exec)", "attempts are refused but not reported");
  // Something that a profile has by default must not make every run fail, and a stricter sandbox
  // than was asked for harms nobody: the run goes on, and its result says so.
  if (network && network->loopback.value_or(false))
    plan.enforced["loopback"] =
        by_nothing(true, kLacking,
                   "macOS has one loopback for the whole host; local connections are refused too");
  plan.enforced["processes"] = {"private",
                                false,
                                "process group, killed as a whole",
                                EnforcementLevel::kAdvisory,
                                "a process that leaves the group (setsid) outlives the run, still "
                                "confined; signals reach the run's own processes only",
                                kLacking};
  plan.enforced["privileges"] = by_nothing(
      "none", kLacking, "runs as the calling user; only seatbelt narrows what that user may do");
  plan.enforced["syscalls"] =
      by_nothing("deny list", kLacking, "macOS has no filter for system calls");
  plan.enforced["environment"] = by_kernel("exact", "execve", "only the variables of the request");
  plan.enforced["output"] = by_broker("capped", "pipes drained by the launcher");
}

void plan_gateway(const std::optional<contracts::ToolGateway>& gateway, SeatbeltPlan& plan) {
  if (!gateway) return;
  plan.enforced["toolGateway"] =
      by_nothing(cat(gateway->host, ":", gateway->port), kLacking,
                 "closed: macOS has no way out for one run alone; its tool token works outside");
}

void plan_devices(const std::vector<std::string>& devices, SeatbeltPlan& plan) {
  if (devices.empty()) return;
  plan.enforced["devices"] =
      by_kernel(wire::encode(devices), "seatbelt (sandbox-exec)",
                "the drivers' clients for Metal and Core ML alone; the GPU, the Neural Engine and "
                "their memory are shared with the whole Mac, and what the drivers let their users "
                "do is not narrowed further");
}

Status plan_absent_limits(const LaunchRequest& request, SeatbeltPlan& plan) {
  const contracts::SandboxPolicy& policy = request.policy;
  AbsentLimits absent(kLacking, "macOS has no such limit", plan.enforced);
  absent.add("fsBytes", policy.limits.fs_bytes);
  absent.add("fileCount", policy.limits.file_count);
  absent.add_address_space(policy.limits, "macOS does not keep RLIMIT_AS; see memory");
  absent.add_cpus(request.cpus);
  return accept_missing(absent.missed(), "LIMITS_UNENFORCEABLE", "macOS hosts cannot limit",
                        policy.allow_partial, plan.partial);
}

void plan_rlimits(const contracts::SandboxLimits& limits, const SeatbeltHost& host,
                  SeatbeltPlan& plan) {
  plan.rlimits = portable_rlimits(limits, {host.hard_file_size, host.hard_open_files});
  plan.rlimits.push_back(fixed_rlimit(RLIMIT_CORE, "core", 0, RLIM_INFINITY));
  if (limits.cpu_time) {
    plan.cpu_time = limits.cpu_time->value;
    plan.enforced["cpuTime"] =
        by_kernel(requested(limits.cpu_time), "RLIMIT_CPU",
                  "per process by the kernel; the sum of the process group is polled");
  }
  if (limits.file_size)
    plan.enforced["fileSize"] = by_kernel(requested(limits.file_size), "RLIMIT_FSIZE");
  if (limits.open_files)
    plan.enforced["openFiles"] = by_kernel(*limits.open_files, "RLIMIT_NOFILE");
}

void plan_group_limits(const contracts::SandboxLimits& limits, SeatbeltPlan& plan) {
  if (limits.memory) {
    plan.memory_bytes = limits.memory->bytes;
    plan.enforced["memory"] =
        of_group(requested(limits.memory), "physical footprint, then SIGKILL");
  }
  // RLIMIT_NPROC counts all processes of the user, the agent's and the desktop's too.
  if (limits.pids) {
    plan.pids = *limits.pids;
    plan.enforced["pids"] = of_group(*limits.pids, "processes counted, then SIGKILL");
  }
}

}  // namespace

Result<SeatbeltPlan> make_seatbelt_plan(const LaunchRequest& request, const SeatbeltHost& host,
                                        const RunPaths& paths) {
  SeatbeltPlan plan;
  TRY(check_request(request));
  TRY(refuse_layers(request));
  TRY(refuse_what_is_not_built(request, host));
  translate_paths(request, paths, plan);
  SeatbeltView view{.folders = {},
                    .scratch = paths.scratch,
                    .files = {paths.policy, paths.confine},
                    .gpu = !request.policy.devices.empty()};  // no other device passes
  for (const ResolvedMount& mount : paths.mounts)
    view.folders.push_back({mount.host_path, mount.writable});
  ASSIGN_OR_RETURN(plan.profile, render_seatbelt(view));
  plan_isolation(request.policy.network, plan);
  plan_gateway(request.tool_gateway, plan);
  plan_devices(request.policy.devices, plan);
  TRY(plan_absent_limits(request, plan));
  plan_rlimits(request.policy.limits, host, plan);
  plan_group_limits(request.policy.limits, plan);
  plan.launcher = launcher_limits(request);
  if (plan.launcher.wall_time)
    plan.enforced["wallTime"] = wall_time_by_signals(request, "process group");
  return plan;
}

}  // namespace paddock::sandbox
