// The per-process limits of a launch, as values. Soft equals hard, so that a process cannot raise
// them; only CPU time leaves a second between the signal (SIGXCPU) and the kill.
#pragma once

#include <cstdint>
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

// `memory_fallback`: no cgroup bounds the memory, so each process's address space is bounded.
std::vector<RlimitSetting> render_rlimits(const contracts::SandboxLimits& limits,
                                          const HostFacts& host, bool memory_fallback);

}  // namespace paddock::sandbox
