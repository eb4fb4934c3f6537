// The filter on how long a node will still be there: some hosts are lent until a known time.
#include <algorithm>

#include "common/base/text.h"
#include "common/base/units.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

namespace {

// In whole minutes, so that the explanation of a waiting run does not change with each pass.
std::string longest(int64_t most_ms) {
  const Millis whole =
      std::chrono::floor<std::chrono::minutes>(Millis(std::max<int64_t>(most_ms, 0)));
  return cat("the longest stays ", format_duration(whole));
}

const Offer kTimeLeft = {[](const NodeState& node) { return node.ms_left; }, longest};

}  // namespace

const Filter kTimeFilter = {
    DependsOn::kAmounts,
    [](const Demand& demand, const NodeState& node) { return asked_ms(demand) <= node.ms_left; },
    [](const Demand& demand) {
      const std::string time = format_duration(Millis(asked_ms(demand)));
      return Misfit{cat("ends in less than ", time), cat("end in less than ", time),
                    "give the run a shorter timeout, or add a node that stays longer"};
    },
    &kTimeLeft,
};

}  // namespace paddock::scheduler
