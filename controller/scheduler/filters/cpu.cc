// Cores, by what the runs on a node asked for.
#include "common/base/text.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

namespace {

const Offer kCores = {[](const NodeState& node) { return node.capacity.cpu; },
                      [](int64_t most) { return cat("the largest has ", most); }};

}  // namespace

const Filter kCpuFilter = {
    DependsOn::kAmounts,
    [](const Demand& demand, const NodeState& node) { return demand.cpu <= node.capacity.cpu; },
    [](const Demand& demand) {
      return Misfit{cat("has fewer than ", demand.cpu, " cores"),
                    cat("have fewer than ", demand.cpu, " cores"),
                    cat("ask for fewer cores or add a node with ", demand.cpu)};
    },
    &kCores,
    Lack::kForGood,
};

const Filter kFreeCpuFilter = {
    DependsOn::kAmounts,
    [](const Demand& demand, const NodeState& node) {
      return demand.cpu == 0 || demand.cpu <= node.capacity.cpu - node.used_cpu;
    },
    [](const Demand& demand) {
      const std::string what =
          cat("not ", demand.cpu, demand.cpu == 1 ? " core" : " cores", " free");
      return Misfit{cat("has ", what), cat("have ", what), "wait for a run to give its cores back"};
    },
};

}  // namespace paddock::scheduler
