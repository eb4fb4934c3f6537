// From stored objects to what the scheduler looks at.
#include <unordered_map>

#include "controller/scheduler/ledger.h"
#include "controller/scheduler/scheduler.h"

namespace paddock::scheduler {

namespace {

Demand demand_of(const contracts::RunSpec& spec) {
  Demand demand;
  demand.node_selector = spec.node_selector;
  if (!spec.resources) return demand;
  demand.cpu = spec.resources->cpu.value_or(0);
  if (spec.resources->memory) demand.memory = spec.resources->memory->bytes;
  demand.accelerators = spec.resources->accelerators;
  return demand;
}

PendingRun pending_of(const contracts::Run& run) {
  const contracts::ObjectMeta& meta = run.metadata;
  Demand demand = demand_of(run.spec);
  if (run.status.policy) demand.policy = *run.status.policy;
  return {meta.name_space,
          meta.name,
          meta.uid,
          run.spec.priority,
          meta.creation_timestamp ? meta.creation_timestamp->value.ms : 0,
          std::move(demand)};
}

NodeState state_of(const contracts::Node& node) {
  NodeState state;
  state.name = node.metadata.name;
  state.ready = node.status.ready;
  state.unschedulable = node.spec.unschedulable;
  state.labels = node.metadata.labels;
  state.capacity = node.status.capacity;
  state.ceilings = node.status.ceilings;
  for (const contracts::Canary& canary : node.status.canaries) {
    if (!canary.passed) state.unproven.push_back(canary.capability);
  }
  for (const contracts::Device& device : node.status.devices) {
    const auto kind = wire::parse_enum<contracts::AcceleratorKind>(device.kind);
    if (kind) count_device(state.devices, *kind, 1);
  }
  return state;
}

}  // namespace

Snapshot make_snapshot(const std::vector<contracts::Run>& active,
                       const std::vector<contracts::Node>& nodes, const Quotas& quotas) {
  Snapshot snapshot;
  snapshot.quotas = quotas;
  std::unordered_map<std::string, size_t> index;
  for (const contracts::Node& node : nodes) {
    index[node.metadata.name] = snapshot.nodes.size();
    snapshot.nodes.push_back(state_of(node));
  }
  for (const contracts::Run& run : active) {
    if (run.status.phase == contracts::RunPhase::kPending) {
      snapshot.pending.push_back(pending_of(run));
      continue;
    }
    ++snapshot.placed[run.metadata.name_space];
    if (const auto at = index.find(run.status.node_name); at != index.end()) {
      occupy(snapshot.nodes[at->second], demand_of(run.spec));
    }
  }
  return snapshot;
}

}  // namespace paddock::scheduler
