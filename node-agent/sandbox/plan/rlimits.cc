#include "node-agent/sandbox/plan/rlimits.h"

#include <sys/resource.h>

namespace paddock::sandbox {

std::vector<RlimitSetting> render_rlimits(const contracts::SandboxLimits& limits,
                                          const ProcessMemory& memory, const HostFacts& host) {
  std::vector<RlimitSetting> out =
      portable_rlimits(limits, {host.hard_file_size, host.hard_open_files});
  const auto add = [&](int resource, const char* name, int64_t wanted, uint64_t ceiling) {
    out.push_back(fixed_rlimit(resource, name, wanted, ceiling));
  };
  // Not 0: that keeps core files away, but a host whose core_pattern is a pipe would start its
  // handler, as root, outside, and feed it this memory. For exactly 1 it does not (core(5)).
  add(RLIMIT_CORE, "core", kNoCoreHandler, RLIM_INFINITY);
  if (memory.address_space) add(RLIMIT_AS, "as", *memory.address_space, host.hard_address_space);
  if (memory.private_bytes) add(RLIMIT_DATA, "data", *memory.private_bytes, host.hard_data);
  // Counted per user namespace (Linux 5.14), and every run has its own.
  if (limits.pids) add(RLIMIT_NPROC, "nproc", *limits.pids, RLIM_INFINITY);
  add(RLIMIT_MEMLOCK, "memlock", 64 << 10, RLIM_INFINITY);
  add(RLIMIT_MSGQUEUE, "msgqueue", 0, RLIM_INFINITY);
  // The kernel counts them for the launcher's user as well, whose timers need some.
  add(RLIMIT_SIGPENDING, "sigpending", 1024, RLIM_INFINITY);
  return out;
}

}  // namespace paddock::sandbox
