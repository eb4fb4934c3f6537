// The launch of a run's command, which happens once: it is noted before it is done, and whatever a
// later agent finds, it never starts the command again.
#pragma once

#include <atomic>
#include <optional>

#include "common/os/lock_file.h"
#include "node-agent/executor/launcher.h"
#include "node-agent/executor/output_log.h"
#include "node-agent/executor/recovery.h"
#include "node-agent/executor/step.h"

namespace paddock::executor {

class CommandLaunch {
 public:
  // Both outlive it.
  CommandLaunch(const StepContext& run, OutputLog& output) : run_(run), output_(output) {}

  // An error after the intent was noted says that the command may or may not have started.
  Status start(const contracts::LaunchRequest& request);
  // After a launcher that found the run's lock taken: by one that was given the order first, and
  // given up. That one starts nothing any more, and is ended.
  Status start_again(const contracts::LaunchRequest& request);
  // The known facts of the run, among them the launcher that an earlier agent started, if that
  // lives. If none lives, none will start later: a late one finds its lock taken.
  RunFacts find();

  // The launcher; its pid while it lives, 0: not known. The pid: any thread.
  const LauncherProcess& launcher() const { return launcher_; }
  pid_t pid() const { return pid_; }
  void has_ended() { pid_ = 0; }
  LaunchFiles files() const { return LaunchFiles::in(run_.folder); }
  // The run's files are gone, and so is the lock.
  void forget() { lost_lock_.reset(); }

 private:
  void note(LauncherProcess launcher);
  void keep(LauncherProcess started);

  const StepContext& run_;
  OutputLog& output_;
  LauncherProcess launcher_;
  std::atomic<pid_t> pid_ = 0;
  std::optional<os::LockFile> lost_lock_;  // keeps a late launcher from starting
};

}  // namespace paddock::executor
