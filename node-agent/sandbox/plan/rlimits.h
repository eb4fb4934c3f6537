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

// `address_space` is the plan's decision, which may differ from the limits.
std::vector<RlimitSetting> render_rlimits(const contracts::SandboxLimits& limits,
                                          const std::optional<int64_t>& address_space,
                                          const HostFacts& host);

}  // namespace paddock::sandbox
