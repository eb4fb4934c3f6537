// Disk, by what the runs on a node asked for, and what a run's files need to come there.
#include "common/base/text.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

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
    unused_disk,
};

}  // namespace paddock::scheduler
