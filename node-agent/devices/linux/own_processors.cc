#include <sched.h>

#include <array>

#include "node-agent/devices/processor_ledger.h"

namespace paddock::devices {

std::vector<int64_t> own_processors() {
  constexpr size_t kMost = 8192;
  std::array<cpu_set_t, kMost / CPU_SETSIZE> set = {};
  std::vector<int64_t> out;
  if (sched_getaffinity(0, sizeof set, set.data()) != 0) return out;
  for (size_t i = 0; i < kMost; ++i) {
    if (CPU_ISSET_S(i, sizeof set, set.data())) out.push_back(static_cast<int64_t>(i));
  }
  return out;
}

}  // namespace paddock::devices
