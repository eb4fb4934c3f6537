// A request and two hosts, for tests of plans.
#pragma once

#include <sys/resource.h>

#include <string>

#include "common/contracts/profile.h"
#include "node-agent/sandbox/plan/plan.h"

namespace paddock::sandbox {

inline HostFacts root_host() {
  HostFacts host;
  host.privileged = true;
  host.kernel_major = 6;
  host.hard_open_files = host.hard_file_size = host.hard_address_space = host.hard_data =
      RLIM_INFINITY;
  host.cgroup = {CgroupFacts::Version::kV1, "/cg/memory", "/cg/pids", "/cg/cpuacct", "/cg/cpu", ""};
  host.system = {{"/usr", ""}, {"/bin", "usr/bin"}};
  host.etc = {{"/etc/alternatives", ""}};
  host.tty_device = true;
  return host;
}

inline HostFacts user_host() {
  HostFacts host = root_host();
  host.privileged = false;
  host.uid = host.gid = 1234;
  host.cgroup = {};
  host.cgroup.why_not = "no writable cgroup";
  return host;
}

inline contracts::LaunchRequest plain_request() {
  contracts::LaunchRequest out;
  out.trace_id = "t";
  out.command = {"true"};
  out.workdir = "/workspace";
  out.policy = *contracts::profile_policy("test");
  out.mounts = {{"/srv/run/ws", "/workspace", contracts::MountMode::kReadWrite}};
  return out;
}

inline std::string refusal(const contracts::LaunchRequest& launch, const HostFacts& host) {
  const auto plan = make_plan(launch, host);
  return plan.ok() ? "planned" : plan.error().reason.str();
}

}  // namespace paddock::sandbox
