// paddock-sandbox as seen from the agent: started detached, recognised by identity, read through
// its event file, ended by a signal. It goes on when the agent dies and is found again by its lock.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "common/base/time.h"
#include "common/contracts/launch.h"
#include "common/os/file_watch.h"
#include "common/os/lock_file.h"
#include "common/os/process.h"
#include "node-agent/executor/output_log.h"
#include "node-agent/executor/run_folder.h"
#include "node-agent/executor/stop_signal.h"

namespace paddock::executor {

// The files of one launch, in the folder of its run or of its build.
struct LaunchFiles {
  static LaunchFiles in(const RunFolder& folder);
  std::string events;  // its launcher's lock too, as long as it lives
  std::string log;     // what the launcher itself complains about
};

struct LauncherProcess {
  std::optional<os::ProcessIdentity> identity;  // unknown only if it could not be found
  bool is_child = false;
};

// The environment of every launcher that the agent starts. It has nothing of the agent's own but
// what an operator says of /etc.
std::map<std::string, std::string> launcher_environment();

// Starts the launcher in a session of its own, for the request in this file. SANDBOX_UNAVAILABLE if
// it cannot be started.
Result<LauncherProcess> start_launcher(const std::string& program, const LaunchFiles& files,
                                       int request);

// The process that has locked this file, other than we: for the moment between the start of a
// launcher and the record of its identity. `expected` is asked first (0: nobody is): else a host's
// hundred thousand processes are looked through.
std::optional<os::ProcessIdentity> find_lock_holder(const std::string& lock, pid_t expected = 0);

// kOverdue: gone without a result, as we killed it behind the limit of its command's time.
enum class FollowEnd { kResult, kGone, kOverdue, kDetached };
// The messages that a launcher has sent so far.
enum class Heard { kNothing, kStart, kResult };
// Reads that from the output's state.
Heard heard_in(const OutputState& state);

struct LaunchTimes {
  Millis grace{0};                  // of the command, when it is canceled or its time is over
  std::optional<Millis> wall_time;  // of the command, from its start
};
// The limit of time that its launcher keeps.
std::optional<Millis> wall_time_of(const contracts::SandboxPolicy& policy);

// Follows a launcher until its result is there, it is gone without one, or the agent leaves.
// `read_events` reads new events and returns what was heard up to now. A cancel is passed on as
// SIGTERM, which leaves the command its grace; kKill and kForget as SIGQUIT, which leaves it none;
// and SIGKILL follows if these are not obeyed. A launcher that stands still (stopped, in a frozen
// cgroup) cannot end its command when the time is over: some seconds later it is told to go on, and
// killed if it does not; so is one that has begun no command for minutes. `watch` becomes the watch
// for changes: the kernel needs some milliseconds to close it, so the caller closes it when nobody
// waits.
FollowEnd follow_launcher(const LauncherProcess& process, const LaunchFiles& files,
                          StopSignal& stop, const LaunchTimes& times, const Clock& clock,
                          std::optional<os::FileWatch>& watch,
                          const std::function<Heard()>& read_events);

// After kResult or kGone: waits for the process to leave, with force in the end, and reaps it. The
// exit code of a child that left by itself.
std::optional<int> reap_launcher(const LauncherProcess& process);
inline constexpr int kFoundLockTaken = 3;  // it has started nothing

// Ends whoever still holds this lock.
void end_leftover(const std::string& lock);

}  // namespace paddock::executor
