#include "node-agent/sandbox/windows/job_settings.h"

#include "common/base/text.h"
#include "node-agent/sandbox/plan/missing_limits.h"
#include "node-agent/sandbox/plan/request_check.h"

namespace paddock::sandbox {
namespace {

using contracts::Enforcement;
using contracts::EnforcementLevel;
using contracts::LaunchRequest;

constexpr const char* kJob = "Job Object";
constexpr Reason kAccepted = "ACCEPTED_BY_OPERATOR";
constexpr Reason kLacking = "SYSTEM_LACKS_IT";
constexpr Reason kNotHeld = "JOB_LIMIT_NOT_HELD";

Enforcement by_job(wire::Value wanted, const std::string& mechanism, std::string details = {}) {
  return by_kernel(std::move(wanted), cat(kJob, ", ", mechanism), std::move(details));
}

Status refuse_what_is_not_built(const LaunchRequest& request, bool open_host) {
  const contracts::SandboxPolicy& policy = request.policy;
  if (!open_host)
    return refuse("WALLS_UNAVAILABLE",
                  "Windows hosts cannot keep a command from the host's files and network; the "
                  "operator can accept that with --open-host");
  if (!policy.tools.empty())
    return refuse("TOOLS_UNSUPPORTED",
                  "Windows hosts cannot narrow the executables; leave tools empty");
  if (!policy.devices.empty())
    return refuse("DEVICES_UNSUPPORTED", "Windows hosts cannot pass devices; leave devices empty");
  if (policy.network && !policy.network->allow_domains.empty())
    return refuse("NETWORK_UNAVAILABLE",
                  "Windows hosts cannot narrow the network; leave allowDomains empty");
  return {};
}

void plan_isolation(JobPlan& plan) {
  plan.settings.flags = job::kKillOnClose | job::kDieOnUnhandledException;
  plan.settings.ui = job::kEveryUiRestriction;
  plan.limits.push_back({"processes", job::kKillOnClose});
  plan.enforced["filesystem"] =
      by_nothing("private", kAccepted, "accepted by the operator: all of the user's files");
  plan.enforced["network"] =
      by_nothing("none", kAccepted, "accepted by the operator: the host's network");
  plan.enforced["syscalls"] =
      by_nothing("deny list", kLacking, "Windows has no filter for system calls");
  plan.enforced["privileges"] = by_nothing("none", kLacking, "runs as the calling user");
  plan.enforced["processes"] =
      by_job("private", "kill on close",
             "the whole tree ends with the job and cannot leave it; other processes are visible");
  plan.enforced["environment"] =
      by_job("exact", "CreateProcess", "the variables of the request and SystemRoot");
  plan.enforced["output"] = by_broker("capped", "pipes drained by the launcher");
}

void plan_job_limits(const contracts::SandboxLimits& limits, JobPlan& plan) {
  const auto add = [&](const char* name, uint32_t flag, Enforcement enforcement) {
    plan.settings.flags |= flag;
    plan.limits.push_back({name, flag});
    plan.enforced[name] = std::move(enforcement);
  };
  if (limits.memory) {
    plan.settings.job_memory_bytes = static_cast<uint64_t>(limits.memory->bytes);
    add("memory", job::kJobMemory,
        by_job(requested(limits.memory), "job memory",
               "committed memory of all processes; what is beyond it is refused, not killed"));
  }
  if (limits.pids) {
    plan.settings.active_processes = static_cast<uint32_t>(*limits.pids);
    add("pids", job::kActiveProcess,
        by_job(*limits.pids, "active processes", "processes; threads are not counted"));
  }
  if (limits.cpu_time) {
    plan.cpu_time = limits.cpu_time->value;
    plan.settings.job_time_100ns = limits.cpu_time->value.count() * 10'000;
    add("cpuTime", job::kJobTime,
        by_job(requested(limits.cpu_time), "job time",
               "user mode by the kernel; user and kernel mode are watched by the launcher"));
  }
}

Status plan_absent_limits(const LaunchRequest& request, JobPlan& plan) {
  const contracts::SandboxPolicy& policy = request.policy;
  AbsentLimits absent(kLacking, "Windows has no such limit", plan.enforced);
  absent.add("openFiles", policy.limits.open_files);
  absent.add("fileSize", policy.limits.file_size);
  absent.add("fsBytes", policy.limits.fs_bytes);
  absent.add("fileCount", policy.limits.file_count);
  absent.add_address_space(policy.limits, "see memory");
  absent.add_cpus(request.cpus);
  return accept_missing(absent.missed(), "LIMITS_UNENFORCEABLE", "Windows hosts cannot limit",
                        policy.allow_partial, plan.partial);
}

// Whether the job holds this limit as it was asked for.
bool holds(const JobSettings& found, const JobSettings& wanted, uint32_t flag) {
  if ((found.flags & flag) == 0) return false;
  switch (flag) {
    case job::kJobMemory:
      return found.job_memory_bytes == wanted.job_memory_bytes;
    case job::kActiveProcess:
      return found.active_processes == wanted.active_processes;
    case job::kJobTime:
      return found.job_time_100ns == wanted.job_time_100ns;
    default:
      return true;
  }
}

}  // namespace

Result<JobPlan> make_job_plan(const LaunchRequest& request, bool open_host) {
  JobPlan plan;
  TRY(check_command(request));
  TRY(refuse_layers(request));
  TRY(refuse_what_is_not_built(request, open_host));
  plan_isolation(plan);
  if (request.tool_gateway)
    plan.enforced["toolGateway"] =
        by_nothing(cat(request.tool_gateway->host, ":", request.tool_gateway->port), kAccepted,
                   "accepted by the operator: the host's network leads there, and elsewhere");
  plan_job_limits(request.policy.limits, plan);
  TRY(plan_absent_limits(request, plan));
  plan.launcher = launcher_limits(request);
  if (plan.launcher.wall_time)
    plan.enforced["wallTime"] = by_broker(requested(request.policy.limits.wall_time),
                                          "the launcher's timer, then the job is ended",
                                          "at once: Windows has no signal that asks first");
  return plan;
}

Status compare_job(const JobSettings& found, bool allow_partial, JobPlan& plan) {
  std::vector<std::string> missing;
  for (const JobLimit& limit : plan.limits) {
    if (holds(found, plan.settings, limit.flag)) continue;
    Enforcement& enforcement = plan.enforced[limit.name];
    enforcement.level = EnforcementLevel::kNone;
    enforcement.details = "this host's jobs took the limit and do not hold it";
    enforcement.reason = kNotHeld;
    missing.push_back(limit.name);
  }
  return accept_missing(missing, kNotHeld, "this host's jobs do not hold", allow_partial,
                        plan.partial);
}

std::string describe_job(const JobSettings& settings) {
  std::string out;
  const auto flag = [&](uint32_t bit, const char* name, const std::string& value) {
    if ((settings.flags & bit) != 0) out += cat(name, value.empty() ? "" : " ", value, "\n");
  };
  flag(job::kKillOnClose, "kill-on-close", "");
  flag(job::kDieOnUnhandledException, "die-on-unhandled-exception", "");
  flag(job::kActiveProcess, "active-processes", cat(settings.active_processes));
  flag(job::kJobMemory, "job-memory", cat(settings.job_memory_bytes));
  flag(job::kJobTime, "job-time-100ns", cat(settings.job_time_100ns));
  return cat(out, "ui 0x", hex(std::string(1, static_cast<char>(settings.ui))), "\n");
}

}  // namespace paddock::sandbox
