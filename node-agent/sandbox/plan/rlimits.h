// The per-process limits of a launch on Linux, as values: what every system has, and what only
// Linux has. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "node-agent/sandbox/plan/host_facts.h"
#include "node-agent/sandbox/plan/portable_rlimits.h"

namespace paddock::sandbox {

inline constexpr int64_t kNoCoreHandler = 1;

// What the kernel holds each process to; nothing where a cgroup holds the memory of all.
struct ProcessMemory {
  std::optional<int64_t> address_space;  // also what is only reserved
  std::optional<int64_t> private_bytes;  // what it may write to and shares with nobody
};

std::vector<RlimitSetting> render_rlimits(const contracts::SandboxLimits& limits,
                                          const ProcessMemory& memory, const HostFacts& host);

}  // namespace paddock::sandbox
