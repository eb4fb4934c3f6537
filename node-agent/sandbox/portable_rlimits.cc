#include "node-agent/sandbox/portable_rlimits.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace paddock::sandbox {

RlimitSetting fixed_rlimit(int resource, const char* name, int64_t wanted, uint64_t ceiling) {
  const uint64_t value = std::min(static_cast<uint64_t>(wanted), ceiling);
  return {resource, name, value, value};
}

std::vector<RlimitSetting> portable_rlimits(const contracts::SandboxLimits& limits,
                                            const RlimitCeilings& ceilings) {
  std::vector<RlimitSetting> out;
  if (limits.cpu_time) {
    const auto seconds = static_cast<uint64_t>((limits.cpu_time->value.count() + 999) / 1000);
    out.push_back({RLIMIT_CPU, "cpu", seconds, seconds + 1});
  }
  if (limits.file_size)
    out.push_back(fixed_rlimit(RLIMIT_FSIZE, "fsize", limits.file_size->bytes, ceilings.file_size));
  const int64_t files = limits.open_files.value_or(std::numeric_limits<int64_t>::max());
  out.push_back(fixed_rlimit(RLIMIT_NOFILE, "nofile", files, ceilings.open_files));
  return out;
}

}  // namespace paddock::sandbox
