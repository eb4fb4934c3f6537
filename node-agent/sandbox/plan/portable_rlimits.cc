#include "node-agent/sandbox/plan/portable_rlimits.h"

#include <sys/resource.h>

#include <algorithm>

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
  if (limits.open_files) {
    out.push_back(fixed_rlimit(RLIMIT_NOFILE, "nofile", *limits.open_files, ceilings.open_files));
  } else {
    constexpr uint64_t kUsual = 1024;  // programs that want more raise it themselves
    out.push_back(
        {RLIMIT_NOFILE, "nofile", std::min(kUsual, ceilings.open_files), ceilings.open_files});
  }
  return out;
}

}  // namespace paddock::sandbox
