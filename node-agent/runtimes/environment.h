// The environment that a run's requirements ask for: a Python virtual environment, built inside the
// sandbox, kept per workspace and requirements, published only when complete.
//
//   <dir>/<12 hex of the workspace>-<12 hex of the requirements>/     the environment, and in it
//       .paddock-environment                                          written last: it is complete
//   <dir>/<key>.lock                                                  held by whoever builds it
//   <dir>/.building-<key>/                                            under the lock; removed on
//   failure
//
// Thread-safe and safe between processes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "common/contracts/launch.h"

namespace paddock::runtimes {

struct EnvironmentConfig {
  std::string dir;                   // where environments are kept
  std::string wheel_dir;             // the operator's folder of wheels; empty: none
  std::optional<uid_t> sandbox_uid;  // who the sandboxed builder is on this host, if not we
};

struct EnvironmentRequest {
  int workspace = -1;               // the workspace's folder
  std::string requirements;         // path in it; empty: none asked for
  std::string workspace_id;         // "<namespace>/<name>"
  contracts::SandboxPolicy policy;  // of the run; its limits hold for the build too
  std::string trace_id;
};

// What the build needs from outside.
struct EnvironmentPorts {
  // Runs one command in a sandbox to its end.
  std::function<Result<contracts::SandboxResult>(const contracts::LaunchRequest&)> launch;
  std::function<void(const std::string&)> say;  // a line for the run's log
  // Waits a moment while somebody else builds the same; false once the run was stopped.
  std::function<bool()> wait;
};

struct Environment {
  std::string venv;  // host path; empty: the host's own interpreter is used
  bool cached = false;
};

// Errors: REQUIREMENTS_MISSING, REQUIREMENTS_INVALID, REQUIREMENTS_UNSUPPORTED,
// ENVIRONMENT_UNAVAILABLE (the operator has to do something), ENVIRONMENT_FAILED (pip said no),
// INTERRUPTED.
Result<Environment> ensure_environment(const EnvironmentConfig& config,
                                       const EnvironmentRequest& request,
                                       const EnvironmentPorts& ports);

// `<12 hex>-<12 hex>`: of the workspace's identity and of the requirements' bytes.
std::string environment_key(const std::string& workspace_id, std::string_view requirements);

// Removes what a killed builder left. Call while no build is under way.
void sweep_environments(const std::string& dir);

}  // namespace paddock::runtimes
