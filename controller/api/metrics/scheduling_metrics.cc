#include "controller/api/metrics/scheduling_metrics.h"

#include <algorithm>
#include <array>

#include "controller/api/metrics/metrics.h"

namespace paddock::api {
namespace {

struct Row {
  const char* name;
  const char* help;
  int64_t value;
};

std::string counters(const std::vector<Row>& rows, const char* type) {
  std::string text;
  for (const Row& row : rows) {
    text += metric_type(row.name, type, row.help);
    text += metric_line(row.name, "", "", row.value);
  }
  return text;
}

using Field = int64_t scheduler::Usage::*;

std::string usage_text(const reconciler::Totals& totals, const char* name, const char* help,
                       Field field) {
  std::string text = metric_type(name, "gauge", help);
  for (const auto& [space, used] : totals.usage)
    text += metric_line(name, "namespace", space, used.*field);
  return text;
}

// A node may say any word; one that this version does not know is no label.
std::string_view last_cause(const std::optional<contracts::CoolDown>& cool_down) {
  if (!cool_down) return "none";
  const bool known = Reason::parse(cool_down->reason).row() != nullptr;
  return known ? std::string_view(cool_down->reason) : "other";
}

using contracts::Node;

bool is_lost(const Node& node) { return node.status.reason == contracts::kNodeLost; }
bool has_full_disk(const Node& node) { return contracts::disk_pressure(node.status) != nullptr; }

struct NodeState {
  const char* name;
  bool (*holds)(const Node& node);
};
constexpr std::array kNodeStates = {
    NodeState{"ready", [](const Node& node) { return node.status.ready; }},
    NodeState{"not_ready", [](const Node& node) { return !node.status.ready && !is_lost(node); }},
    NodeState{"lost", [](const Node& node) { return !node.status.ready && is_lost(node); }},
    NodeState{"cordoned", [](const Node& node) { return node.spec.unschedulable; }},
    NodeState{"draining", [](const Node& node) { return node.spec.drain.has_value(); }},
    NodeState{"disk_full", has_full_disk},
    NodeState{"faulty",
              [](const Node& node) {
                return !has_full_disk(node) && contracts::unfit(node.status) != nullptr;
              }},
    NodeState{
        "resting",
        [](const Node& node) { return node.status.cool_down && node.status.cool_down->until; }},
};

}  // namespace

std::string scheduling_text(const reconciler::Totals& totals) {
  const reconciler::TickReport& sum = totals.sum;
  std::string text = counters(
      {{"paddock_scheduler_ticks_total", "rounds of the controller's own work", totals.ticks},
       {"paddock_scheduler_reloads_total",
        "times that the cluster cache was read anew from the store", totals.reloads},
       {"paddock_runs_bound_total", "runs given to a node", sum.bound},
       {"paddock_runs_lost_total", "attempts given up with their node", sum.lost},
       {"paddock_runs_expired_total", "runs past their deadline", sum.expired},
       {"paddock_runs_evicted_total", "placed runs ended for a drain or a preemption", sum.evicted},
       {"paddock_runs_pruned_total", "ended runs that were forgotten", sum.pruned}},
      "counter");
  text += usage_text(totals, "paddock_namespace_runs", "placed runs", &scheduler::Usage::runs);
  text += usage_text(totals, "paddock_namespace_cpu", "cores that placed runs asked for",
                     &scheduler::Usage::cpu);
  text += usage_text(totals, "paddock_namespace_memory_bytes", "memory that placed runs asked for",
                     &scheduler::Usage::memory);
  text += usage_text(totals, "paddock_namespace_accelerators", "devices of placed runs",
                     &scheduler::Usage::accelerators);
  return text;
}

std::string nodes_text(const std::vector<contracts::Node>& nodes) {
  constexpr const char* kName = "paddock_nodes";
  std::string text = metric_type(kName, "gauge", "nodes by state; one may be in several");
  for (const NodeState& state : kNodeStates)
    text += metric_line(kName, "state", state.name, std::ranges::count_if(nodes, state.holds));
  return text;
}

// By node and the last cause.
std::string cool_downs_text(const std::vector<contracts::Node>& nodes) {
  constexpr const char* kName = "paddock_node_cool_down_failures";
  std::string text =
      metric_type(kName, "gauge", "runs in a row that a node could not begin, by the last cause");
  for (const contracts::Node& node : nodes) {
    const auto& cool_down = node.status.cool_down;
    text += cat(kName, "{node=\"", node.metadata.name, "\",reason=\"", last_cause(cool_down),
                "\"} ", cool_down ? cool_down->failures : 0, "\n");
  }
  return text;
}

// By node: one that has none is found among others that have.
std::string disks_text(const std::vector<contracts::Node>& nodes) {
  constexpr const char* kName = "paddock_node_allocatable_disk_bytes";
  std::string text = metric_type(kName, "gauge", "disk that runs of a node may ask for together");
  for (const contracts::Node& node : nodes) {
    if (const auto& disk = node.status.allocatable_disk)
      text += metric_line(kName, "node", node.metadata.name, disk->bytes);
  }
  return text;
}

std::string devices_text(const std::vector<contracts::Node>& nodes) {
  constexpr const char* kName = "paddock_devices";
  int64_t all = 0;
  int64_t well = 0;
  for (const contracts::Node& node : nodes) {
    all += static_cast<int64_t>(node.status.devices.size());
    well += contracts::well_devices(node.status);
  }
  return metric_type(kName, "gauge", "accelerators of all nodes; a faulty one gets no runs") +
         metric_line(kName, "state", "well", well) +
         metric_line(kName, "state", "faulty", all - well);
}

}  // namespace paddock::api
