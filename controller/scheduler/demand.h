// The demands of a run on a node, in the form that the filters read.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/run.h"

namespace paddock::scheduler {

// Devices by kind, indexed by AcceleratorKind (kAny: those of any kind).
using DeviceCount = std::array<int64_t, 3>;
// Counts under its own kind and under "any".
inline void count_device(DeviceCount& devices, contracts::AcceleratorKind kind, int64_t count) {
  devices[static_cast<size_t>(kind)] += count;
  if (kind != contracts::AcceleratorKind::kAny) {
    devices[static_cast<size_t>(contracts::AcceleratorKind::kAny)] += count;
  }
}

using contracts::kUsualDisk;

struct Demand {
  int64_t cpu = 0;     // cores; 0: not stated
  int64_t memory = 0;  // bytes; 0: not stated
  int64_t disk = kUsualDisk;
  // Space for the run's files, beside the disk that it asks for. It is known only after a node had
  // too little. The node does not keep it reserved: files are shared between runs, and the node's
  // free space counts them.
  int64_t disk_for_files = 0;
  std::optional<contracts::Accelerators> accelerators;
  std::map<std::string, std::string> node_selector;
  std::vector<contracts::Toleration> tolerations;
  std::optional<contracts::EnforcementLevel> sandbox_level;
  contracts::SandboxPolicy policy;  // effective
  std::optional<wire::Wait> termination_grace;
  std::string kept_off;    // a node that is not asked again,
  bool goes_back = false;  // until no other one could take the run
  int64_t nodes = 1;  // how many at once, one for each member of a gang; all else is a member's
};

// The disk that a node must have left for the run when it is placed there.
int64_t asked_disk(const Demand& demand);

// Beside the time of its command, a run needs some for its files, its environment and its
// artifacts.
inline constexpr Millis kAroundCommand = std::chrono::minutes(2);
// How long a node must still be there, in milliseconds.
int64_t asked_ms(const Demand& demand);

Demand demand_of(const contracts::Run& run);
// Equal for demands that no filter can tell apart.
std::string key_of(const Demand& demand);

}  // namespace paddock::scheduler
