// Our sibling programs as processes: started detached with a log of their own, stopped by identity.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/instance/instance.h"
#include "cli/terminal/env.h"
#include "common/base/suspension.h"
#include "common/os/process.h"
#include "common/os/start_report.h"

namespace paddock::cli {

inline constexpr const char* kController = "paddock-controller";
inline constexpr const char* kNodeAgent = "paddock-node-agent";
inline constexpr const char* kLauncher = "paddock-sandbox";

// Path of a sibling program; PROGRAM_MISSING.
Result<std::string> find_program(const Env& env, const std::string& program);
// Identifies a child of this process. A child that has ended already counts as not alive.
os::ProcessIdentity identity_of_child(pid_t pid);
struct StartedProgram {
  os::ProcessIdentity process;
  os::Fd report;  // where it says why it could not begin: os::read_start_failure()
};
// Starts it in a session of its own with our variables and these on top, output to latest.log; the
// log before becomes previous.log. It may have ended already.
Result<StartedProgram> start_program(const Env& env, const InstancePaths& paths,
                                     const std::string& program,
                                     const std::vector<std::string>& args,
                                     const std::map<std::string, std::string>& variables = {});
// SIGTERM, then SIGKILL after `grace`. True if SIGKILL was needed. A process that is gone is fine;
// one that only has the same pid is not touched.
Result<bool> stop_process(const os::ProcessIdentity& process, Millis grace);

// The last lines of a program's log.
std::vector<std::string> log_tail(const InstancePaths& paths, const std::string& program,
                                  size_t lines);

// Asks `ready` every few milliseconds until it is true or `limit` has passed.
bool wait_until(const Env& env, Millis limit, const std::function<bool()>& ready);
// The same until a deadline that several waits may share. `ready` takes a few seconds at most.
bool wait_until(const Env& env, LivedDeadline& deadline, const std::function<bool()>& ready);

// Command lines, pure.
std::vector<std::string> controller_args(const InstancePaths& paths, int64_t port);
std::vector<std::string> agent_args(const InstancePaths& paths, const std::string& url,
                                    const std::string& node, const PackageSources& packages);
// The variables that pass the settings to the programs beside their command lines: ceilings are
// raised on both sides.
std::map<std::string, std::string> program_variables(const InstanceSettings& settings);

}  // namespace paddock::cli
