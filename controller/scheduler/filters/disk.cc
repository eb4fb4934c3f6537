// Filters by disk: the requests of a node's runs, and the space that a run's files need there.
#include <bit>

#include "common/base/text.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

namespace {

// Rounded down to a power of two, so that the explanation of a waiting run does not change with
// every change of the disk.
std::string emptiest(int64_t most) {
  const auto rough = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most)));
  return rough < (1 << 20) ? "none has any"
                           : cat("the emptiest has at least ", format_bytes(rough));
}

const Offer kUnusedDisk = {unused_disk, emptiest};

}  // namespace

const Filter kFreeDiskFilter = {
    DependsOn::kAmounts,
    [](const Demand& demand, const NodeState& node) {
      return asked_disk(demand) <= unused_disk(node);
    },
    [](const Demand& demand) {
      const std::string what = cat("not ", format_bytes(asked_disk(demand)), " of disk free");
      const char* less = demand.disk_for_files > 0
                             ? "use fewer or smaller files, ask for less (resources.disk)"
                             : "ask for less (resources.disk)";
      return Misfit{cat("has ", what), cat("have ", what),
                    cat(less, ", wait for a run to end, free space on the disk of a node, or add ",
                        "one with a larger disk")};
    },
    &kUnusedDisk,
};

}  // namespace paddock::scheduler
