// The parts of make_plan(), one file each. Pure; each fills its part of the plan and says in
// `enforced` what will be in force, or refuses. Not for use outside plan*.cc.
#pragma once

#include "node-agent/sandbox/plan/plan.h"
#include "node-agent/sandbox/result/enforcement.h"

namespace paddock::sandbox {

// plan_check.cc: the request itself, before any host is asked.
Status check_request(const contracts::LaunchRequest& request);
// plan_check.cc: the policy's folders of the host are there, and are what may be mounted.
Status check_host_mounts(const contracts::LaunchRequest& request, const HostFacts& host);
// plan_isolation.cc: what every sandbox has, whatever the policy says.
Status plan_isolation(const contracts::LaunchRequest& request, const HostFacts& host,
                      SandboxPlan& plan);
// plan_limits.cc: memory, pids, time, descriptors, output.
Status plan_limits(const contracts::LaunchRequest& request, const HostFacts& host,
                   SandboxPlan& plan);
// plan_files.cc: what is visible, what may be written and how much of it; tools and devices.
Status plan_files(const contracts::LaunchRequest& request, const HostFacts& host,
                  SandboxPlan& plan);
// plan_tools.cc, plan_devices.cc: narrow and widen the view that plan_files.cc has made.
Status plan_tools(const contracts::LaunchRequest& request, const HostFacts& host,
                  SandboxPlan& plan);
Status plan_devices(const contracts::LaunchRequest& request, const HostFacts& host,
                    SandboxPlan& plan);
// plan_network.cc: none, a loopback device, the broker. Before plan_files(): the second wall.
Status plan_network(const contracts::LaunchRequest& request, const HostFacts& host,
                    SandboxPlan& plan);

}  // namespace paddock::sandbox
