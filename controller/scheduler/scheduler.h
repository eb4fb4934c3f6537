// Which run goes to which node, and for each that goes nowhere, why. Pure and deterministic.
//
// Order: priority, then age, then uid. A run that fits nowhere does not stop the ones behind it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/node.h"
#include "common/contracts/run.h"

namespace paddock::scheduler {

// What a run needs, as the filters see it.
struct Demand {
  int64_t cpu = 0;     // cores; 0: not stated
  int64_t memory = 0;  // bytes; 0: not stated
  std::optional<contracts::Accelerators> accelerators;
  std::map<std::string, std::string> node_selector;
  contracts::SandboxPolicy policy;  // effective
};

struct PendingRun {
  std::string name_space;
  std::string name;
  std::string uid;
  int64_t priority = 0;
  int64_t created_ms = 0;
  Demand demand;
};

// Devices by kind, indexed by AcceleratorKind (kAny: those of any kind).
using DeviceCount = std::array<int64_t, 3>;

struct NodeState {
  std::string name;
  bool ready = false;
  bool unschedulable = false;
  std::map<std::string, std::string> labels;
  contracts::Capacity capacity;
  DeviceCount devices{};
  std::optional<contracts::Ceilings> ceilings;
  std::vector<std::string> unproven;  // capabilities whose canaries failed here
  // In use by the runs placed here.
  int64_t used_cpu = 0;
  int64_t used_memory = 0;
  int64_t used_runs = 0;
  DeviceCount used_devices{};
};

// The operator's.
struct Quotas {
  int64_t runs_per_namespace = 0;  // placed at once; 0: not bounded
};

struct Snapshot {
  std::vector<PendingRun> pending;
  std::vector<NodeState> nodes;
  Quotas quotas;
  std::map<std::string, int64_t> placed;  // runs per namespace
};
// `active`: every run that is not terminal, placed or pending.
Snapshot make_snapshot(const std::vector<contracts::Run>& active,
                       const std::vector<contracts::Node>& nodes, const Quotas& quotas = {});

struct Binding {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string node;
};

// "0/3 nodes fit: 2 have no nvidia device, 1 is cordoned; would help: …"
struct Unplaced {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string message;
  int64_t position = 0;  // among all that wait, from 1
};

struct Plan {
  std::vector<Binding> bindings;
  std::vector<Unplaced> unplaced;
};

Plan schedule(const Snapshot& snapshot);

}  // namespace paddock::scheduler
