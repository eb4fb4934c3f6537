// Everything that is done for one launch on macOS, decided before anything is done, and what it is
// worth: macOS has no namespaces and no memory limit that it keeps, and the result says so.
// Pure: request, host and resolved paths in; a plan, or why this host cannot run it, out.
//
// Paths inside are the host's own. What the request calls by a path of its view (its folder, the
// program, variables and parts of PATH-like lists) is translated; other arguments stay as they are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/launch.h"
#include "node-agent/sandbox/plan/portable_rlimits.h"
#include "node-agent/sandbox/plan/view_paths.h"
#include "node-agent/sandbox/result/enforcement.h"
#include "node-agent/sandbox/result/launcher_limits.h"

namespace paddock::sandbox {

struct SeatbeltHost {
  std::string sandbox_exec = "/usr/bin/sandbox-exec";
  std::string confine;  // our helper, which sandbox-exec starts: see confine.h
  std::string runs;     // where a run's own folder is made
  bool root = false;
  uint64_t hard_open_files = 0;  // this process's own ceilings
  uint64_t hard_file_size = 0;
};

struct RunPaths {
  std::vector<ResolvedMount> mounts;  // by the kernel: no links
  std::string scratch;                // TMPDIR
  std::string policy;                 // the file that says what is in force
  std::string confine;
};

struct SeatbeltPlan {
  std::string profile;
  std::vector<std::string> command;
  std::string workdir;
  std::map<std::string, std::string> env;
  std::vector<RlimitSetting> rlimits;
  std::optional<int64_t> memory_bytes;  // of the process group, polled
  std::optional<int64_t> pids;
  std::optional<Millis> cpu_time;
  LauncherLimits launcher;
  Enforced enforced;
  bool partial = false;
};

Result<SeatbeltPlan> make_seatbelt_plan(const contracts::LaunchRequest& request,
                                        const SeatbeltHost& host, const RunPaths& paths);

}  // namespace paddock::sandbox
