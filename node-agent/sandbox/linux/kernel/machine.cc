#include "node-agent/sandbox/linux/kernel/machine.h"

#include <errno.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

#include <array>

#include "common/base/random.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMostProcessors = 8192;
using ProcessorSet = std::array<cpu_set_t, kMostProcessors / CPU_SETSIZE>;

std::vector<int> own_processors() {
  ProcessorSet set = {};
  std::vector<int> out;
  if (sched_getaffinity(0, sizeof set, set.data()) != 0) return out;
  for (size_t i = 0; i < kMostProcessors; ++i) {
    if (CPU_ISSET_S(i, sizeof set, set.data())) out.push_back(static_cast<int>(i));
  }
  return out;
}

std::map<std::string, std::string> shared_settings() {
  std::map<std::string, std::string> out;
  for (const char* path : kSharedSettings) {
    const auto value = os::read_file(cat("/proc/sys/", path), 4096);
    if (value.ok()) out[path] = std::string(trim(*value));
  }
  return out;
}

}  // namespace

MachineFacts look_at_machine() {
  MachineFacts out;
  out.processors = own_processors();
  const auto cpuinfo = os::read_file("/proc/cpuinfo", size_t{16} << 20);
  if (cpuinfo.ok()) out.cpuinfo = split_cpuinfo(*cpuinfo);
  out.whole_cpuinfo = cpuinfo_of(out, out.processors);
  struct sysinfo memory {};
  if (sysinfo(&memory) == 0)
    out.memory_bytes = static_cast<int64_t>(memory.totalram) * memory.mem_unit;
  utsname names{};
  if (uname(&names) == 0) {
    out.release = names.release;
    out.version = names.version;
  }
  out.settings = shared_settings();
  return out;
}

MachineMoment this_moment() {
  SystemRandom random;
  timespec boot{};
  clock_gettime(CLOCK_BOOTTIME, &boot);
  return {.since_boot = static_cast<double>(boot.tv_sec) + static_cast<double>(boot.tv_nsec) / 1e9,
          .wall_seconds = static_cast<int64_t>(time(nullptr)),
          .id = make_uuid(random)};
}

Status stay_on(const std::vector<int>& processors) {
  if (processors.empty()) return {};
  ProcessorSet set = {};
  for (const int each : processors) CPU_SET_S(static_cast<size_t>(each), sizeof set, set.data());
  if (sched_setaffinity(0, sizeof set, set.data()) != 0)
    return step_error("choosing processors", errno);
  return {};
}

}  // namespace paddock::sandbox
