// Finds out where this host lets cgroups for runs be made, and why not where it does not.
#pragma once

#include <string_view>

#include "node-agent/sandbox/plan/host_facts.h"

namespace paddock::sandbox {

// From the texts of /proc/self/cgroup and /proc/self/mountinfo. Says where folders would be made,
// not whether that is allowed. Pure.
CgroupFacts read_cgroup_facts(std::string_view own_cgroups, std::string_view mountinfo);

// What the kernel does not let us use is taken away, and `why_not` says what an operator can do. On
// v2 this hands the controllers down to the folder's children, if nobody has yet.
CgroupFacts usable_cgroups(CgroupFacts facts);

}  // namespace paddock::sandbox
