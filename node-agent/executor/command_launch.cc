#include "node-agent/executor/command_launch.h"

#include <utility>

#include "common/base/crash_point.h"
#include "common/base/log.h"
#include "common/os/file.h"
#include "node-agent/executor/launch_server.h"
#include "node-agent/launch/order.h"

namespace paddock::executor {

Status CommandLaunch::start(const contracts::LaunchRequest& request) {
  RunRecord& record = run_.record;
  TRY(output_.keep_room_for_result());
  PADDOCK_CRASH_POINT("launch-prepared");
  record.stage = Stage::kLaunching;
  TRY(run_.folder.store(record));
  TRY(run_.ports.intents.note(os::base_name(run_.folder.path())));
  PADDOCK_CRASH_POINT("launch-intended");
  auto started =
      start_launch(run_.ports.server, run_.ports.config.sandbox_program, files(), request);
  if (!started) {
    log_error("a launcher could not be started", {{"error", started.error().describe()}});
    return std::move(started).error();
  }
  PADDOCK_CRASH_POINT("launched");
  keep(std::move(*started));
  PADDOCK_CRASH_POINT("launch-recorded");
  return {};
}

Status CommandLaunch::start_again(const contracts::LaunchRequest& request) {
  end_leftover(files().events);
  ASSIGN_OR_RETURN(const os::Fd order, launch::request_file(request));
  ASSIGN_OR_RETURN(auto started,
                   start_launcher(run_.ports.config.sandbox_program, files(), order.get()));
  keep(std::move(started));
  return {};
}

void CommandLaunch::keep(LauncherProcess started) {
  note(std::move(started));
  RunRecord& record = run_.record;
  if (launcher_.identity) record.launcher = LauncherRecord::of(*launcher_.identity);
  if (const Status stored = run_.folder.store(record); !stored) {
    log_warn("a launcher's identity could not be recorded", {{"error", stored.error().describe()}});
  }
}

RunFacts CommandLaunch::find() {
  RunFacts facts{.stage = run_.record.stage,
                 .launcher_alive = false,
                 .has_result = output_.state().result.has_value()};
  if (facts.stage != Stage::kLaunching) return facts;
  // Taking the lock ourselves keeps a launcher that was about to start from starting.
  auto lock = os::LockFile::acquire(files().events);
  // On a full disk a file that is not there cannot be made either: nobody holds it.
  facts.launcher_alive = !lock.ok() && lock.error().code != Code::kResourceExhausted;
  if (lock) lost_lock_.emplace(std::move(*lock));
  // The launcher may have written its result between our first look and the lock.
  if (!output_.advance()) log_warn("a run's output is damaged", {{"run", run_.assignment.run_uid}});
  facts.has_result = output_.state().result.has_value();
  if (!facts.launcher_alive) return facts;
  LauncherProcess launcher;
  if (const auto& recorded = run_.record.launcher) launcher.identity = recorded->identity();
  if (!launcher.identity || !os::alive(*launcher.identity))
    launcher.identity = find_lock_holder(files().events);
  note(std::move(launcher));
  return facts;
}

void CommandLaunch::note(LauncherProcess launcher) {
  launcher_ = std::move(launcher);
  pid_ = launcher_.identity ? launcher_.identity->pid : 0;
}

}  // namespace paddock::executor
