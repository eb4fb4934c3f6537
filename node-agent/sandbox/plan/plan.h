// SandboxPlan: everything that will be done for one launch, decided before anything is done.
// Pure: request and host facts in; a plan, or the reason why this host cannot run it, out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/launch.h"
#include "node-agent/sandbox/egress/messages.h"
#include "node-agent/sandbox/plan/host_facts.h"
#include "node-agent/sandbox/plan/landlock_rules.h"
#include "node-agent/sandbox/plan/mount_table.h"
#include "node-agent/sandbox/plan/network.h"
#include "node-agent/sandbox/plan/rlimits.h"
#include "node-agent/sandbox/plan/tool_view.h"
#include "node-agent/sandbox/result/enforcement.h"
#include "node-agent/sandbox/result/launcher_limits.h"

namespace paddock::sandbox {

inline constexpr uid_t kInsideId = 1000;  // uid and gid of the command, as it sees itself
inline constexpr uid_t kInitId = 0;       // uid and gid of init: only root can mount terminals
inline constexpr uid_t kDefaultHostId = 65534;  // whose files root launchers give to commands

struct CgroupSettings {
  std::optional<int64_t> memory_bytes;
  std::optional<int64_t> pids;  // of the command; the init process is added by the backend
  bool cpu_accounting = false;
  std::optional<int64_t> cpus;
};

// How much the folder that the command may fill (usually /workspace) may grow. It is measured,
// since no kernel mechanism bounds it.
struct WorkspaceQuota {
  std::string folder;     // of the host
  bool whole = false;     // what is in it already counts too
  bool overfull = false;  // with `whole`: more than the limits may be in it, and is no hit
  bool layered =
      false;  // an overlay's upper folder: the command's files have another device number
  std::optional<int64_t> bytes;
  std::optional<int64_t> files;
};

struct SandboxPlan {
  bool privileged = false;
  uid_t host_uid = kDefaultHostId;  // the user that the command is on the host
  gid_t host_gid = kDefaultHostId;
  uid_t files_owner = kDefaultHostId;  // owns the files that it is given and leaves behind
  std::vector<MountEntry> mounts;
  ToolView tools;
  LandlockRuleset landlock;                 // the second wall; empty where the host has none
  std::optional<WorkspaceQuota> workspace;  // none: not writable, or not limited
  std::optional<BrokerConfig> broker;       // none: no network
  NetworkReach reach;
  std::vector<RlimitSetting> rlimits;
  CgroupSettings cgroup;
  ProcessMemory process_memory;  // what each process may have of it, by the kernel
  // What the sockets of its network may hold, and as much what is kept for open folders.
  std::optional<int64_t> socket_bytes;
  MachineShare share;  // what the command is told of the machine
  std::optional<Millis> cpu_time;
  LauncherLimits launcher;
  // The state of each capability once the kernel has accepted every step; `applied` is set then.
  Enforced enforced;
  bool partial = false;  // something asked for is not enforced here, and the policy allows that
};

Result<SandboxPlan> make_plan(const contracts::LaunchRequest& request, const HostFacts& host);
// Changes the plan to one without a user of its own: the command is the owner of its files on the
// host. That is allowed, and `enforced` says why.
void share_user(std::string_view why, SandboxPlan& plan);
// Called when the sandbox is made, as only the kernel can tell whether the loopback device works:
// `up` is an error if it does not. Then this refuses the run or, with `allow_partial`, says so in
// `enforced`.
Status accept_loopback(const Status& up, bool allow_partial, Enforced& enforced);

}  // namespace paddock::sandbox
