// Processes known by identity, never by how their command line looks.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/os/fd.h"

namespace paddock::os {

// A pid alone can be reused; a pid with its start time (clock ticks since boot; on macOS, µs since
// 1970) and the boot id cannot.
struct ProcessIdentity {
  pid_t pid = 0;
  uint64_t start_ticks = 0;
  std::string boot_id;
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};
std::optional<ProcessIdentity> identify(
    pid_t pid);  // nothing if there is no such process or it is a zombie
bool alive(const ProcessIdentity& identity);
// Sends a signal only if that very process is still alive (Linux: through a pidfd, so without a
// race).
Status signal_process(const ProcessIdentity& identity, int signal);
// Readable once that very process has ended, reaped or not; not valid if it is gone, or cannot be
// watched.
Fd exit_of(const ProcessIdentity& identity);
// Waits until the process is gone. False if `timeout_ms` passed first.
bool wait_gone(const ProcessIdentity& identity, int timeout_ms);

struct SpawnOptions {
  std::vector<std::string> argv;  // argv[0] is the program's path
  std::map<std::string, std::string> env;
  std::string cwd;    // empty: inherited
  int stdin_fd = -1;  // -1: /dev/null
  int stdout_fd = -1;
  int stderr_fd = -1;
  std::vector<int> keep_fds;  // inherited at the same numbers; everything else is closed
  bool new_session = false;   // setsid: survives the parent's terminal and group
};
// Starts a program with default signal dispositions. The caller reaps the child with waitpid.
Result<pid_t> spawn(const SpawnOptions& options);

// The folder of the running program, where its sibling programs are.
std::string program_dir();
// What starts the running program once more; on Linux even if its file was replaced since.
std::string this_program();

}  // namespace paddock::os
