#include "cli/instance/launchers.h"

#include <signal.h>

#include "common/os/lock_holder.h"

namespace paddock::cli {

Status stop_launchers(const Env& env, const InstancePaths& paths, Millis grace) {
  std::vector<os::ProcessIdentity> launchers;
  for (const pid_t pid : os::lock_holders_below(paths.agent_data())) {
    if (auto launcher = os::identify(pid)) launchers.push_back(std::move(*launcher));
  }
  for (const os::ProcessIdentity& each : launchers) (void)os::signal_process(each, SIGTERM);
  for (const os::ProcessIdentity& each : launchers) {
    ASSIGN_OR_RETURN(const bool killed, stop_process(each, grace));
    env.say(cat("stopped a sandbox that was left over", killed ? " (it had to be killed)" : ""));
  }
  return {};
}

}  // namespace paddock::cli
