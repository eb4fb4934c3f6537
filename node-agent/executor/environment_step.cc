#include "node-agent/executor/environment_step.h"

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/executor/disk_probe.h"
#include "node-agent/executor/launch_server.h"
#include "node-agent/executor/lost_sandbox.h"
#include "node-agent/executor/output_log.h"
#include "node-agent/executor/phase_timing.h"

namespace paddock::executor {
namespace {

constexpr Millis kBuilderPoll{200};

}  // namespace

Status EnvironmentStep::prepare() {
  ASSIGN_OR_RETURN(runtimes::Environment made, make());
  has_python_ = made.python;
  if (!made.lease) return {};
  mount_ = {made.path, made.inside, contracts::MountMode::kReadOnly};
  run_.record.environment = made.lease->name();
  lease_.emplace(std::move(*made.lease));
  return {};
}

Result<runtimes::Environment> EnvironmentStep::make() {
  const Clock& clock = run_.ports.clock;
  const MonoTime start = clock.mono();
  PhaseTiming timing(clock, run_.record.timings_ms["environment"]);
  const contracts::Assignment& assignment = run_.assignment;
  if (assignment.spec.requirements.empty()) {
    run_.log.say("environment: none asked for");
    return runtimes::Environment{};
  }
  end_leftover(LaunchFiles::in(build_folder()).events);
  ASSIGN_OR_RETURN(const os::Fd root, workspace_.open());
  runtimes::EnvironmentRequest request;
  request.workspace = root.get();
  request.requirements = assignment.spec.requirements;
  request.workspace_id = cat(assignment.name_space, "/", assignment.spec.workspace);
  request.policy = assignment.policy;
  request.trace_id = cat(assignment.run_uid, "-", assignment.attempt, "-environment");
  const runtimes::EnvironmentPorts ports = {
      .launch = [this](const contracts::LaunchRequest& launch) { return build(launch); },
      .say = [this](const std::string& line) { run_.log.say(line); },
      .quote = [this](const std::string& text) { run_.log.quote(text); },
      .wait = [this] { return !run_.stop.wait(kBuilderPoll, StopKind::kCancel); },
      .now = [&clock] { return clock.wall(); }};
  auto made = runtimes::ensure_environment(run_.ports.config.environments, request, ports);
  // Only a miss has this figure: `environment` alone is the time of a hit.
  if (made && made->lease && !made->cached)
    run_.record.timings_ms["environmentBuild"] = (clock.mono() - start).count();
  return made;
}

// Runs a build of an environment. It may be repeated, so the record of an earlier one is thrown
// away.
Result<contracts::SandboxResult> EnvironmentStep::build(const contracts::LaunchRequest& given) {
  contracts::LaunchRequest request = given;
  if (run_.ports.config.sandbox_uid) request.uid = *run_.ports.config.sandbox_uid;
  const RunFolder folder = build_folder();
  TRY(folder.erase());
  TRY(os::make_dirs(folder.path()));
  ASSIGN_OR_RETURN(const auto output, OutputLog::open(folder, run_.ports.clock));
  ASSIGN_OR_RETURN(const LauncherProcess process,
                   start_launch(run_.ports.server, run_.ports.config.sandbox_program,
                                LaunchFiles::in(folder), request));
  return follow_build(process, folder, *output, wall_time_of(request.policy));
}

// If the agent stops, the build is ended.
Result<contracts::SandboxResult> EnvironmentStep::follow_build(const LauncherProcess& process,
                                                               const RunFolder& folder,
                                                               OutputLog& output,
                                                               std::optional<Millis> wall_time) {
  StopSignal build_stop;
  const StopSignal::Watch watch(run_.stop, StopKind::kCancel,
                                [&] { build_stop.raise(StopKind::kCancel); });
  std::optional<os::FileWatch> changes;
  const FollowEnd end = follow_launcher(process, LaunchFiles::in(folder), build_stop,
                                        {Millis(0), wall_time}, run_.ports.clock, changes, [&] {
                                          if (!output.advance())
                                            build_stop.raise(StopKind::kCancel);
                                          return heard_in(output.state());
                                        });
  reap_launcher(process);
  if (run_.stop.at_least(StopKind::kCancel))
    return Error{Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
  if (end != FollowEnd::kResult) {
    if (auto fault = disk_fault(folder.path())) return std::move(*fault);
    return Error{Code::kInternal, "LAUNCHER_LOST",
                 "the sandbox launcher died while it built the run's environment"};
  }
  const contracts::SandboxResult result = *output.state().result;  // the state is a copy
  if (auto fault = lost_sandbox(run_, result)) return std::move(*fault);
  return result;
}

Status EnvironmentStep::add(contracts::LaunchRequest& request) {
  if (mount_) request.mounts.push_back(*mount_);
  return {};
}

void EnvironmentStep::take_again() {
  if (run_.record.environment.empty()) return;
  auto lease = runtimes::lease_again(run_.ports.config.environments.dir, run_.record.environment,
                                     [&clock = run_.ports.clock] { return clock.wall(); });
  if (lease) {
    lease_.emplace(std::move(*lease));
  } else {
    log_warn("a running command's environment could not be kept",
             {{"run", run_.assignment.run_uid}, {"error", lease.error().describe()}});
  }
}

}  // namespace paddock::executor
