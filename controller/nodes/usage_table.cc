#include "controller/nodes/usage_table.h"

namespace paddock::nodes {
namespace {

using contracts::Use;

template <class T>
void bound(std::optional<T>& amount, const T& most) {
  if (amount && *amount > most) amount.reset();
}

}  // namespace

Use believed(Use use, const contracts::NodeStatus& node) {
  bound(use.cpu_milli, node.capacity.cpu * 1000);
  bound(use.memory, node.capacity.memory);
  wire::Quantity device_memory;
  for (const contracts::Device& each : node.devices)
    device_memory.bytes += each.memory.value_or(wire::Quantity{}).bytes;
  bound(use.accelerator_milli, static_cast<int64_t>(node.devices.size()) * 1000);
  bound(use.accelerator_memory, device_memory);
  return use;
}

void UsageTable::note(const std::string& node, const contracts::UsageReport& report, Now now) {
  Entry entry{now, report.node, {}};
  for (const contracts::RunUse& each : report.runs)
    entry.runs[{each.run_uid, each.attempt}] = each.use;
  state_.with([&](State& state) {
    state.nodes[node] = std::move(entry);
    if (now.mono - state.pruned < kUsageFresh) return;
    state.pruned = now.mono;
    std::erase_if(state.nodes, [&](const auto& each) {
      return now.mono - each.second.heard.mono > kUsageFresh;
    });
  });
}

const UsageTable::Entry* UsageTable::fresh(const State& state, const std::string& node,
                                           MonoTime now) {
  const auto found = state.nodes.find(node);
  if (found == state.nodes.end() || now - found->second.heard.mono > kUsageFresh) return nullptr;
  return &found->second;
}

std::optional<Measured> UsageTable::of_node(const contracts::Node& node, MonoTime now) const {
  return state_.with([&](const State& state) -> std::optional<Measured> {
    const Entry* entry = fresh(state, node.metadata.name, now);
    if (entry == nullptr) return std::nullopt;
    return Measured{believed(entry->node, node.status), entry->heard.wall};
  });
}

std::optional<Measured> UsageTable::of_run(const contracts::Run& run, const contracts::Node& node,
                                           MonoTime now) const {
  if (run.status.node_name != node.metadata.name) return std::nullopt;
  return state_.with([&](const State& state) -> std::optional<Measured> {
    const Entry* entry = fresh(state, node.metadata.name, now);
    if (entry == nullptr) return std::nullopt;
    const auto found = entry->runs.find({run.metadata.uid, run.status.attempt});
    if (found == entry->runs.end()) return std::nullopt;
    return Measured{believed(found->second, node.status), entry->heard.wall};
  });
}

}  // namespace paddock::nodes
