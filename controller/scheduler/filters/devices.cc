// Accelerators. A run that needs one never lands on a host without.
#include "common/base/text.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

namespace {

int64_t count_of(const DeviceCount& devices, contracts::AcceleratorKind kind) {
  return devices[static_cast<size_t>(kind)];
}

bool has(const Demand& demand, const DeviceCount& devices) {
  return !demand.accelerators ||
         count_of(devices, demand.accelerators->kind) >= demand.accelerators->count;
}

// "nvidia device", "2 apple devices", "accelerator".
std::string wanted(const Demand& demand) {
  const contracts::Accelerators& need = *demand.accelerators;
  const bool any = need.kind == contracts::AcceleratorKind::kAny;
  const std::string noun = any ? "accelerator" : cat(wire::enum_name(need.kind), " device");
  return need.count == 1 ? noun : cat(need.count, " ", noun, "s");
}

}  // namespace

const Filter kDeviceFilter = {
    DependsOn::kAmounts,
    [](const Demand& demand, const NodeState& node) { return has(demand, node.devices); },
    [](const Demand& demand) {
      const std::string none = demand.accelerators->count == 1 ? "no " : "fewer than ";
      const std::string what = wanted(demand);
      return Misfit{cat("has ", none, what), cat("have ", none, what),
                    cat("add a node with ", demand.accelerators->count == 1 ? "1 " : "", what)};
    },
    nullptr,
    Lack::kForGood,
};

const Filter kFreeDeviceFilter = {
    DependsOn::kAmounts,
    [](const Demand& demand, const NodeState& node) {
      DeviceCount unused = node.devices;
      for (size_t kind = 0; kind < unused.size(); ++kind) unused[kind] -= node.used_devices[kind];
      return has(demand, unused);
    },
    [](const Demand& demand) {
      const std::string what = cat(wanted(demand), " free");
      const std::string none = demand.accelerators->count == 1 ? "no " : "not ";
      return Misfit{cat("has ", none, what), cat("have ", none, what),
                    "wait for a run to give its device back"};
    },
};

}  // namespace paddock::scheduler
