#include "controller/scheduler/demand.h"

#include <algorithm>
#include <limits>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/runs/kept_off.h"

namespace paddock::scheduler {

// Both are of outside, and their sum may be more than there are bytes.
int64_t asked_disk(const Demand& demand) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 2;
  return std::min(demand.disk, kMost) + std::min(demand.disk_for_files, kMost);
}

int64_t asked_ms(const Demand& demand) {
  constexpr Millis kMost = std::chrono::hours(24 * 365);  // whatever a document says
  const auto of = [kMost](const auto& time) {
    return time ? std::min(time->value, kMost).count() : int64_t{0};
  };
  return of(demand.policy.limits.wall_time) + of(demand.termination_grace) + kAroundCommand.count();
}

Demand demand_of(const contracts::Run& run) {
  Demand demand;
  demand.node_selector = run.spec.node_selector;
  demand.tolerations = run.spec.tolerations;
  demand.sandbox_level = run.spec.sandbox_level;
  demand.termination_grace = run.spec.termination_grace;
  const auto& element = run.status.element;
  demand.nodes = run.spec.nodes.value_or(element ? element->members.value_or(1) : 1);
  if (demand.nodes == 1) demand.kept_off = runs::kept_off(run);  // members ask for the same
  if (run.status.policy) demand.policy = *run.status.policy;
  if (run.status.disk_needed) demand.disk_for_files = run.status.disk_needed->bytes;
  const auto& resources = run.spec.resources;
  if (!resources) return demand;
  demand.cpu = resources->cpu.value_or(0);
  if (resources->memory) demand.memory = resources->memory->bytes;
  if (resources->disk) demand.disk = resources->disk->bytes;
  demand.accelerators = resources->accelerators;
  return demand;
}

std::string key_of(const Demand& demand) {
  const auto text = [](const auto& part) { return wire::encode_json(part); };
  return cat(demand.cpu, ",", demand.memory, ",", demand.disk, ",", demand.disk_for_files, ",",
             text(demand.accelerators), ",", text(demand.node_selector), ",",
             text(demand.tolerations), ",", text(demand.sandbox_level), ",", text(demand.policy),
             ",", text(demand.termination_grace), ",", demand.nodes, ",", demand.kept_off,
             demand.goes_back ? "," : "");
}

}  // namespace paddock::scheduler
