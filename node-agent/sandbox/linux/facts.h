// Gathers HostFacts from the running kernel; the parts that only read text are pure and tested.
#pragma once

#include <string_view>

#include "common/base/result.h"
#include "node-agent/sandbox/host_facts.h"

namespace paddock::sandbox {

Result<HostFacts> gather_facts();

// From the texts of /proc/self/cgroup and /proc/self/mountinfo. Says where folders would be made,
// not whether that is allowed.
CgroupFacts read_cgroup_facts(std::string_view own_cgroups, std::string_view mountinfo);

}  // namespace paddock::sandbox
