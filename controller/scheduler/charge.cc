#include "controller/scheduler/charge.h"

#include <algorithm>

namespace paddock::scheduler {

namespace {

int64_t held(const std::optional<wire::Quantity>& limit, int64_t asked, int64_t most) {
  return limit ? std::min(std::max(limit->bytes, asked), most) : most;
}

}  // namespace

Charge charge_of(const Demand& demand) {
  const auto& limits = demand.policy.limits;
  return {std::max<int64_t>(demand.cpu, 1), held(limits.memory, demand.memory, kMostMemory),
          held(limits.fs_bytes, demand.disk, kMostDisk), demand.accelerators, 1};
}

// No sum of these is beyond a number: a member counts as 16 TiB at most, and there are 256.
Charge whole_charge_of(const Demand& demand) {
  Charge charge = charge_of(demand);
  charge.runs = demand.nodes;
  charge.cpu *= demand.nodes;
  charge.memory *= demand.nodes;
  charge.disk *= demand.nodes;
  if (charge.accelerators) charge.accelerators->count *= demand.nodes;
  return charge;
}

Charge charge_of(const contracts::Sandbox& session) {
  const auto& limits = session.spec.security.limits;
  return {1,
          limits.memory_bytes.value_or(contracts::session_defaults::kMemoryBytes),
          limits.fs_bytes.value_or(contracts::session_defaults::kFsBytes),
          {},
          1};
}

void Charges::add(const Charge& charge, int64_t sign) {
  runs += sign * charge.runs;
  cpu += sign * charge.cpu;
  memory += sign * charge.memory;
  disk += sign * charge.disk;
  if (!charge.accelerators) return;
  const int64_t count = sign * charge.accelerators->count;
  if (charge.accelerators->kind != contracts::AcceleratorKind::kAny)
    return count_device(devices, charge.accelerators->kind, count);
  for (int64_t& each : devices) each += count;
}

}  // namespace paddock::scheduler
