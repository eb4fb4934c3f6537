#include <array>

#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

// Lasting reasons before passing ones.
std::span<const Filter> filters() {
  static const std::array all = {kSelectorFilter,   kDeviceFilter,  kCpuFilter,       kMemoryFilter,
                                 kCeilingFilter,    kReadyFilter,   kCordonFilter,    kSlotFilter,
                                 kFreeDeviceFilter, kFreeCpuFilter, kFreeMemoryFilter};
  return all;
}

}  // namespace paddock::scheduler
