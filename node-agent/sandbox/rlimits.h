// The per-process limits of a launch, as values. Soft equals hard, so that a process cannot raise
// them; only CPU time leaves a second between the signal (SIGXCPU) and the kill.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/sandbox_policy.h"
#include "node-agent/sandbox/host_facts.h"

namespace paddock::sandbox {

struct RlimitSetting {
  int resource = 0;  // RLIMIT_…
  std::string name;
  uint64_t soft = 0;
  uint64_t hard = 0;
};

// `address_space`: what the plan decided, which is not always what the limits say.
std::vector<RlimitSetting> render_rlimits(const contracts::SandboxLimits& limits,
                                          const std::optional<int64_t>& address_space,
                                          const HostFacts& host);

}  // namespace paddock::sandbox
