#include <vector>

#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

// Lasting reasons before passing ones.
std::span<const Filter> filters() {
  static const std::vector<Filter> all = [] {
    std::vector<Filter> out = {kSelectorFilter, kTaintFilter,   kDeviceFilter, kCpuFilter,
                               kMemoryFilter,   kCeilingFilter, kLevelFilter,  kIsolationFilter,
                               kTimeFilter,     kKeptOffFilter};
    out.insert(out.end(), canary_filters().begin(), canary_filters().end());
    for (const Filter& passing :
         {kReadyFilter, kCordonFilter, kDiskFilter, kFaultFilter, kRestFilter, kSlotFilter,
          kFreeDeviceFilter, kFreeCpuFilter, kFreeMemoryFilter, kFreeDiskFilter})
      out.push_back(passing);
    return out;
  }();
  return all;
}

}  // namespace paddock::scheduler
