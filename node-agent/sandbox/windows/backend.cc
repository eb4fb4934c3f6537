#include "node-agent/sandbox/windows/backend.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/sandbox_refusal.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/plan/view_paths.h"
#include "node-agent/sandbox/result/outputs.h"
#include "node-agent/sandbox/windows/command_line.h"
#include "node-agent/sandbox/windows/job_outcome.h"

namespace paddock::sandbox {
namespace {

using contracts::FrameType;
using contracts::LaunchRequest;
using contracts::SandboxResult;
using contracts::SandboxStatus;

constexpr Millis kJobLookEvery{20};      // pipes on Windows cannot be waited for
constexpr Millis kJobGoneWithin{5'000};  // what is ended and does not go is stuck in the kernel

Result<JobProcess> make_process(const LaunchRequest& request, const std::string& program,
                                Win32& windows) {
  JobProcess out;
  out.program = program;
  TRY(check_windows_program(request.command[0]));
  TRY(check_windows_program(program));
  out.command_line = windows_command_line(request.command);
  std::vector<ResolvedMount> mounts;
  for (const auto& mount : request.mounts) mounts.push_back({mount.host_path, mount.sandbox_path});
  for (const auto& mount : request.policy.host_mounts)
    mounts.push_back({mount.host_path, mount.sandbox_path});
  out.workdir = on_host(request.workdir, mounts);
  std::map<std::string, std::string> env;
  for (const auto& [name, value] : request.env) env[name] = on_host(value, mounts);
  env.emplace("SystemRoot", windows.system_root());
  ASSIGN_OR_RETURN(out.environment, windows_environment(env));
  return out;
}

class JobWatch {
 public:
  JobWatch(const JobPlan& plan, const EmitFrame& emit, const Clock& clock, Win32& windows,
           int64_t inline_bytes)
      : plan_(plan),
        emit_(emit),
        clock_(clock),
        windows_(windows),
        outputs_(plan.launcher, inline_bytes),
        started_(clock.mono()) {}

  void run() {
    while (!windows_.wait(kJobLookEvery)) look();
    ended_ = clock_.mono();
    // Processes that the command left behind end with the job.
    windows_.end_job();
    while (windows_.use().active_processes > 0 && clock_.mono() < ended_ + kJobGoneWithin)
      (void)windows_.wait(kJobLookEvery);
    while (read_output()) {
    }
    outputs_.finish(clock_.mono());
    flush(true);
  }

  JobFacts facts() const {
    return {end_, windows_.exit_code(), windows_.events(), outputs_.truncated(), plan_.partial};
  }

  void describe(SandboxResult& result) const {
    outputs_.describe(result);
    result.duration_ms = (ended_ - started_).count();
    const JobUse use = windows_.use();
    result.usage.cpu_ms = use.cpu.count();
    result.usage.peak_memory_bytes = use.peak_memory_bytes;
    for (auto& [name, enforcement] : result.enforced)
      enforcement.applied = enforcement.level != contracts::EnforcementLevel::kNone;
  }

 private:
  void look() {
    (void)read_output();
    flush(false);
    if (windows_.cancel_asked()) end(JobEnd::kCanceled);
    if (plan_.launcher.wall_time && clock_.mono() >= started_ + *plan_.launcher.wall_time)
      end(JobEnd::kWallTime);
    if (plan_.cpu_time && windows_.use().cpu >= *plan_.cpu_time) end(JobEnd::kCpuTime);
  }

  // The first cause stays.
  void end(JobEnd cause) {
    if (end_ == JobEnd::kItself) end_ = cause;
    windows_.end_job();
  }

  bool read_output() {
    const std::string out = windows_.read_stdout();
    const std::string err = windows_.read_stderr();
    outputs_.out.append(out, clock_.mono());
    outputs_.err.append(err, clock_.mono());
    return !out.empty() || !err.empty();
  }

  void flush(bool all) {
    outputs_.flush(clock_.mono(), all, [&](FrameType type, const std::string& piece) {
      if (!emit_(type, piece).ok()) end(JobEnd::kCanceled);  // nobody can learn of it
    });
  }

  const JobPlan& plan_;
  const EmitFrame& emit_;
  const Clock& clock_;
  Win32& windows_;
  Outputs outputs_;
  MonoTime started_;
  MonoTime ended_;
  JobEnd end_ = JobEnd::kItself;
};

SandboxResult never_ran(SandboxResult result, SandboxStatus status, int64_t rc,
                        std::string reason) {
  result.status = status;
  result.rc = rc;
  result.reason = std::move(reason);
  contracts::apply_status_table(result);
  return result;
}

SandboxResult refused(SandboxResult result, const Error& error) {
  if (error.reason != "COMMAND_TOO_LARGE") {
    contracts::tell_not_started(error, result);
    return result;
  }
  result.code = Reason("E_LIMIT_COMMAND");
  return never_ran(std::move(result), SandboxStatus::kLimitExceeded, 1,
                   cat("command too large: ", error.message));
}

// The job with its limits, found in it again, and the process in it; the process waits.
Result<uint32_t> prepare(const LaunchRequest& request, const std::string& program, JobPlan& plan,
                         Win32& windows) {
  TRY(windows.make_job(plan.settings));
  ASSIGN_OR_RETURN(const JobSettings found, windows.read_job());
  TRY(compare_job(found, request.policy.allow_partial, plan));
  ASSIGN_OR_RETURN(const JobProcess process, make_process(request, program, windows));
  return windows.start(process);
}

}  // namespace

SandboxResult launch_in_job(const LaunchRequest& request, const EmitFrame& emit, const Clock& clock,
                            Win32& windows, bool open_host) {
  SandboxResult result;
  result.cmd = request.command;
  result.trace_id = request.trace_id;
  result.policy = request.policy;
  auto plan = make_job_plan(request, open_host);
  if (!plan.ok()) return refused(std::move(result), plan.error());
  result.enforced = plan->enforced;
  const auto path = request.env.find("PATH");
  const std::string program =
      windows.find_program(request.command[0], path == request.env.end() ? "" : path->second);
  if (program.empty())
    return never_ran(std::move(result), SandboxStatus::kFailed, 127,
                     cat("command not found: ", request.command[0]));
  const auto pid = prepare(request, program, *plan, windows);
  result.enforced = plan->enforced;
  if (!pid.ok()) return refused(std::move(result), pid.error());
  JobWatch watch(*plan, emit, clock, windows, request.inline_output_bytes);
  Status told =
      emit(FrameType::kStarted, wire::to_json(wire::Value::Object{{"pid", int64_t{*pid}}}));
  if (told.ok()) told = windows.resume();
  if (!told.ok()) {
    windows.end_job();
    return refused(std::move(result), told.error());
  }
  watch.run();
  classify_job(watch.facts(), result);
  watch.describe(result);
  return result;
}

}  // namespace paddock::sandbox
