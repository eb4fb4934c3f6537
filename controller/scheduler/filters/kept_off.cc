// A node that could not begin the run, for a cause that another one may not have.
#include "controller/runs/kept_off.h"

#include "common/base/text.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

const Filter kKeptOffFilter = {
    DependsOn::kNode,
    [](const Demand& demand, const NodeState& node) {
      return demand.goes_back || demand.kept_off != node.name;
    },
    [](const Demand&) {
      const std::string what = "could not begin the run";
      return Misfit{what, what,
                    cat("start another node, or mend what kept that one from it and let the run go "
                        "back at once (`kubectl annotate run NAME ",
                        runs::kRefusedByAnnotation, "-`)")};
    },
};

}  // namespace paddock::scheduler
