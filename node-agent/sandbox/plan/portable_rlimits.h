// The per-process limits that every POSIX system keeps, as values. Soft equals hard, so that a
// process cannot raise them; but CPU time leaves a second between the signal (SIGXCPU) and the
// kill, and open files that the policy does not limit may be raised up to the ceiling. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/contracts/sandbox_policy.h"

namespace paddock::sandbox {

struct RlimitSetting {
  int resource = 0;  // RLIMIT_…
  std::string name;
  uint64_t soft = 0;
  uint64_t hard = 0;
};

// The launcher's own hard limits, above which it cannot set any.
struct RlimitCeilings {
  uint64_t file_size = 0;
  uint64_t open_files = 0;
};

RlimitSetting fixed_rlimit(int resource, const char* name, int64_t wanted, uint64_t ceiling);

// CPU time and file size as far as they are limited; open files always, by the ceiling if by
// nothing else.
std::vector<RlimitSetting> portable_rlimits(const contracts::SandboxLimits& limits,
                                            const RlimitCeilings& ceilings);

}  // namespace paddock::sandbox
