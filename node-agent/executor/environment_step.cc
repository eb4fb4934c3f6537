// The step of RunLife that makes what the run's requirements name, in a sandbox of its own.
#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/executor/disk_probe.h"
#include "node-agent/executor/phase_timing.h"
#include "node-agent/executor/run_life.h"

namespace paddock::executor {
namespace {

constexpr Millis kBuilderPoll{200};

}  // namespace

Result<runtimes::Environment> RunLife::make_environment() {
  const MonoTime start = ports_.clock.mono();
  PhaseTiming timing(ports_.clock, record_.timings_ms["environment"]);
  if (assignment_.spec.requirements.empty()) {
    say("environment: none asked for");
    return runtimes::Environment{};
  }
  end_leftover(build_files().events);
  ASSIGN_OR_RETURN(const os::Fd root, open_workspace());
  runtimes::EnvironmentRequest request;
  request.workspace = root.get();
  request.requirements = assignment_.spec.requirements;
  request.workspace_id = cat(assignment_.name_space, "/", assignment_.spec.workspace);
  request.policy = assignment_.policy;
  request.trace_id = cat(assignment_.run_uid, "-", assignment_.attempt, "-environment");
  const runtimes::EnvironmentPorts ports = {
      .launch = [this](const contracts::LaunchRequest& launch) { return run_build(launch); },
      .say = [this](const std::string& line) { say(line); },
      .quote = [this](const std::string& text) { quote(text); },
      .wait = [this] { return !stop_.wait(kBuilderPoll, StopKind::kCancel); },
      .now = [this] { return ports_.clock.wall(); }};
  auto made = runtimes::ensure_environment(ports_.config.environments, request, ports);
  // Only a miss has this figure: `environment` alone is the time of a hit.
  if (made && made->lease && !made->cached) {
    record_.timings_ms["environmentBuild"] = (ports_.clock.mono() - start).count();
  }
  return made;
}

LaunchFiles RunLife::build_files() const {
  return LaunchFiles::in(RunFolder(folder_.file("build")));
}

// Runs a build of an environment. It may be repeated, so the record of an earlier one is thrown
// away; if the agent stops, the build is ended.
Result<contracts::SandboxResult> RunLife::run_build(const contracts::LaunchRequest& given) {
  contracts::LaunchRequest request = given;
  if (ports_.config.sandbox_uid) request.uid = *ports_.config.sandbox_uid;
  const RunFolder folder(folder_.file("build"));
  TRY(folder.erase());
  TRY(os::make_dirs(folder.path()));
  ASSIGN_OR_RETURN(const auto output, OutputLog::open(folder, ports_.clock));
  const LaunchFiles files = build_files();
  ASSIGN_OR_RETURN(const LauncherProcess process,
                   start_launch(ports_.server, ports_.config.sandbox_program, files, request));
  StopSignal build_stop;  // an agent that leaves ends its builds
  const StopSignal::Watch watch(stop_, StopKind::kCancel,
                                [&] { build_stop.raise(StopKind::kCancel); });
  std::optional<os::FileWatch> changes;
  const LaunchTimes times{Millis(0), wall_time_of(request.policy)};
  const FollowEnd end =
      follow_launcher(process, files, build_stop, times, ports_.clock, changes, [&] {
        if (!output->advance()) build_stop.raise(StopKind::kCancel);
        return heard_in(output->state());
      });
  reap_launcher(process);
  if (stop_.at_least(StopKind::kCancel)) {
    return Error{Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
  }
  if (end != FollowEnd::kResult) {
    if (auto fault = disk_fault(folder.path())) return std::move(*fault);
    return Error{Code::kInternal, "LAUNCHER_LOST",
                 "the sandbox launcher died while it built the run's environment"};
  }
  const contracts::SandboxResult result = *output->state().result;  // the state is a copy
  if (auto fault = lost_sandbox(result)) return std::move(*fault);
  return result;
}

}  // namespace paddock::executor
