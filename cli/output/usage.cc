#include "cli/output/usage.h"

namespace paddock::cli {
namespace {

void add(const contracts::Run& run, Asked& asked) {
  ++asked.runs;
  const auto& resources = run.spec.resources;
  if (!resources) return;
  asked.cpu += resources->cpu.value_or(0);
  if (resources->memory) asked.memory += resources->memory->bytes;
  if (resources->disk) asked.disk += resources->disk->bytes;
  if (resources->accelerators) asked.devices += resources->accelerators->count;
}

}  // namespace

Usage usage_of(const std::vector<contracts::Node>& nodes, const std::vector<contracts::Run>& runs) {
  Usage usage;
  for (const contracts::Node& node : nodes) {
    usage.nodes[node.metadata.name] = {node.status.capacity,
                                       node.status.allocatable_disk,
                                       contracts::well_devices(node.status),
                                       contracts::status_words(node),
                                       {}};
  }
  for (const contracts::Run& run : runs) {
    if (contracts::is_terminal(run.status.phase)) continue;
    NamespaceUsage& name_space = usage.namespaces[run.metadata.name_space];
    if (run.status.phase == contracts::RunPhase::kPending) {
      ++name_space.waiting;
      continue;
    }
    add(run, name_space.asked);
    const auto node = usage.nodes.find(run.status.node_name);
    if (node != usage.nodes.end()) add(run, node->second.asked);
  }
  return usage;
}

}  // namespace paddock::cli
