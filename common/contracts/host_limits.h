// The largest limits that a policy may ask for where no operator named a ceiling: what a host has,
// so that no limit is a number that nothing stands behind. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/contracts/ceilings.h"
#include "common/contracts/profile.h"

namespace paddock::contracts {

// 0: it cannot be told.
struct HostSize {
  int64_t memory = 0;     // bytes
  int64_t processes = 0;  // that the kernel can number or has room for
  int64_t disk = 0;       // bytes of the file system that workspaces are on, used ones too
  int64_t files = 0;      // of that file system
};

// The limits that a host can provide: fifteen sixteenths of its memory, disk and files, and a
// quarter of its processes. They are never below what the given profiles ask for, so that a run
// that asks for nothing is not refused. Sizes are rounded down to five binary digits, so that like
// hosts say the same.
SandboxLimits limits_of_host(const HostSize& host, const Profiles& profiles);

// The larger of each; where one says nothing, the other.
SandboxLimits larger_of(SandboxLimits limits, const SandboxLimits& others);

// What `policy` asks for beyond `largest`. An absent limit is none that was asked for, and nothing
// is said of those that `ceilings` names: they are the operator's. `whose`: "the largest node".
std::vector<CeilingRefusal> over_largest(const SandboxPolicy& policy, const SandboxLimits& largest,
                                         const Ceilings& ceilings, const std::string& whose);

}  // namespace paddock::contracts
