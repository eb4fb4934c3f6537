// The environment that a run's requirements ask for: a Python virtual environment or a tree of npm
// packages, built inside the sandbox, kept per workspace and requirements, published only when
// complete (see environment_store.h). Thread-safe and safe between processes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/contracts/launch.h"
#include "node-agent/runtimes/environment_store.h"

namespace paddock::runtimes {

// The operator's settings for environments.
struct EnvironmentConfig {
  std::string dir;           // environments are kept in venvs/ and node_modules_cache/ beneath
  std::string wheel_dir;     // folder of Python wheels; empty: none
  std::string python_index;  // URL of a package index for pip; empty: none
  std::string npm_registry;  // URL of a registry for npm; empty: none
  std::string ca_file;       // PEM of the CAs that the two are trusted by; empty: the tool's own
  std::vector<std::string> file_hosts;  // beside the indexes' own names
  std::string instance;  // of `paddock up`, which gives the sources; empty: a configuration does
  contracts::NetworkSettings network;   // how their names are resolved, and where they may lead
  int64_t min_free = int64_t{1} << 30;  // bytes of the disk that no build begins below
  std::optional<uid_t> sandbox_uid;     // who the sandboxed builder is on this host, if not we
};

struct EnvironmentRequest {
  int workspace = -1;               // the workspace's folder
  std::string requirements;         // path in it
  std::string workspace_id;         // "<namespace>/<name>"
  contracts::SandboxPolicy policy;  // of the run; its limits hold for the build too
  std::string trace_id;
};

// The functions that a build needs from outside.
struct EnvironmentPorts {
  // Runs one command in a sandbox to its end.
  std::function<Result<contracts::SandboxResult>(const contracts::LaunchRequest&)> launch;
  std::function<void(const std::string&)> say;    // a line for the run's log
  std::function<void(const std::string&)> quote;  // what an installer printed, for its output
  // Waits a moment while somebody else builds the same; false once the run was stopped.
  std::function<bool()> wait;
  std::function<WallTime()> now;
};

struct Environment {
  std::string path;    // on this host; empty: what the host has is used
  std::string inside;  // where it belongs in the sandbox
  bool python = false;
  bool cached = false;
  std::optional<EnvironmentLease> lease;  // keep it while the environment is in use
};

// Errors: REQUIREMENTS_MISSING, REQUIREMENTS_INVALID, ENVIRONMENT_UNAVAILABLE (the operator has to
// do something), ENVIRONMENT_FAILED (pip or npm said no), INTERRUPTED.
Result<Environment> ensure_environment(const EnvironmentConfig& config,
                                       const EnvironmentRequest& request,
                                       const EnvironmentPorts& ports);

}  // namespace paddock::runtimes
