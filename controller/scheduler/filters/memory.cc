// Memory, by what the runs on a node asked for.
#include "common/base/text.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

namespace {

const Offer kAllMemory = {[](const NodeState& node) { return node.capacity.memory.bytes; },
                          [](int64_t most) { return cat("the largest has ", format_bytes(most)); }};

}  // namespace

const Filter kMemoryFilter = {
    DependsOn::kAmounts,
    [](const Demand& demand, const NodeState& node) {
      return demand.memory <= node.capacity.memory.bytes;
    },
    [](const Demand& demand) {
      const std::string size = format_quantity(demand.memory);
      return Misfit{cat("has less than ", size, " of memory"),
                    cat("have less than ", size, " of memory"),
                    cat("ask for less memory or add a node with ", size)};
    },
    &kAllMemory,
    Lack::kForGood,
};

const Filter kFreeMemoryFilter = {
    DependsOn::kAmounts,
    [](const Demand& demand, const NodeState& node) {
      return demand.memory == 0 || demand.memory <= node.capacity.memory.bytes - node.used_memory;
    },
    [](const Demand& demand) {
      const std::string what = cat("not ", format_quantity(demand.memory), " of memory free");
      return Misfit{cat("has ", what), cat("have ", what),
                    "wait for a run to give its memory back"};
    },
};

}  // namespace paddock::scheduler
