#include "controller/scheduler/node_state.h"

#include <algorithm>
#include <limits>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::scheduler {

namespace {

using contracts::AcceleratorKind;

// "any" is counted against the kind with most devices free, so that no device is promised twice.
AcceleratorKind kind_taken(const NodeState& node, AcceleratorKind wanted) {
  if (wanted != AcceleratorKind::kAny) return wanted;
  auto unused = [&node](AcceleratorKind kind) {
    const auto at = static_cast<size_t>(kind);
    return node.devices[at] - node.used_devices[at];
  };
  return unused(AcceleratorKind::kApple) > unused(AcceleratorKind::kNvidia)
             ? AcceleratorKind::kApple
             : AcceleratorKind::kNvidia;
}

void take_canary(NodeState& state, const contracts::Canary& canary) {
  if (!canary.passed) return state.unproven.push_back(canary.capability);
  const auto [at, first] = state.proven.try_emplace(canary.capability, canary.level);
  if (!first) at->second = std::max(at->second, canary.level);
}

}  // namespace

NodeState state_of(const contracts::Node& node) {
  NodeState state;
  state.name = node.metadata.name;
  state.ready = node.status.ready;
  state.unschedulable = node.spec.unschedulable;
  state.disk_full = contracts::disk_pressure(node.status) != nullptr;
  state.faulty = !state.disk_full && contracts::unfit(node.status) != nullptr;
  state.resting = node.status.cool_down && node.status.cool_down->until;
  state.labels = node.metadata.labels;
  state.taints = node.spec.taints;
  state.capacity = node.status.capacity;
  if (const auto& disk = node.status.allocatable_disk) state.disk = disk->bytes;
  if (const auto& end = node.status.ends_at) state.ends_at = end->value;
  state.bounds = contracts::bounds_of(node.status);
  for (const contracts::Canary& canary : node.status.canaries) take_canary(state, canary);
  for (const contracts::Device& device : node.status.devices) {
    if (!device.fault.empty()) continue;
    const auto kind = wire::parse_enum<AcceleratorKind>(device.kind);
    if (kind) count_device(state.devices, *kind, 1);
  }
  return state;
}

std::string kind_key(const NodeState& node) {
  const wire::Value::Array parts = {node.ready,
                                    node.unschedulable,
                                    node.disk_full,
                                    node.faulty,
                                    node.resting,
                                    wire::encode(node.labels),
                                    wire::encode(node.taints),
                                    wire::encode(node.bounds.ceilings),
                                    wire::encode(node.bounds.largest),
                                    wire::encode(node.unproven),
                                    wire::encode(node.proven)};
  return wire::to_json(parts);
}

int64_t unused_disk(const NodeState& node) {
  return node.disk ? *node.disk - node.used_disk : std::numeric_limits<int64_t>::max();
}

int64_t ms_left(const NodeState& node, WallTime now) {
  return node.ends_at ? node.ends_at->ms - now.ms : std::numeric_limits<int64_t>::max();
}

void occupy(NodeState& node, const Demand& demand) {
  node.used_runs += 1;
  node.used_cpu += demand.cpu;
  node.used_memory += demand.memory;
  node.used_disk += demand.disk;
  if (demand.accelerators) {
    count_device(node.used_devices, kind_taken(node, demand.accelerators->kind),
                 demand.accelerators->count);
  }
}

void empty(NodeState& node) {
  node.used_cpu = node.used_memory = node.used_disk = node.used_runs = 0;
  node.used_devices = {};
}

}  // namespace paddock::scheduler
