#include "node-agent/sandbox/rlimits.h"

#include <sys/resource.h>

#include <algorithm>

namespace paddock::sandbox {

std::vector<RlimitSetting> render_rlimits(const contracts::SandboxLimits& limits,
                                          const std::optional<int64_t>& address_space,
                                          const HostFacts& host) {
  std::vector<RlimitSetting> out;
  const auto add = [&](int resource, const char* name, int64_t wanted, uint64_t ceiling) {
    const uint64_t value = std::min(static_cast<uint64_t>(wanted), ceiling);
    out.push_back({resource, name, value, value});
  };
  add(RLIMIT_CORE, "core", 0, RLIM_INFINITY);
  if (limits.cpu_time) {
    const int64_t seconds = (limits.cpu_time->value.count() + 999) / 1000;
    out.push_back(
        {RLIMIT_CPU, "cpu", static_cast<uint64_t>(seconds), static_cast<uint64_t>(seconds) + 1});
  }
  if (address_space) add(RLIMIT_AS, "as", *address_space, host.hard_address_space);
  if (limits.file_size) add(RLIMIT_FSIZE, "fsize", limits.file_size->bytes, host.hard_file_size);
  if (limits.open_files) add(RLIMIT_NOFILE, "nofile", *limits.open_files, host.hard_open_files);
  // Counted per user namespace (Linux 5.14), and every run has its own.
  if (limits.pids) add(RLIMIT_NPROC, "nproc", *limits.pids, RLIM_INFINITY);
  add(RLIMIT_MEMLOCK, "memlock", 64 << 10, RLIM_INFINITY);
  add(RLIMIT_MSGQUEUE, "msgqueue", 0, RLIM_INFINITY);
  return out;
}

}  // namespace paddock::sandbox
