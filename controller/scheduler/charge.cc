#include "controller/scheduler/charge.h"

#include <algorithm>

namespace paddock::scheduler {

Charge charge_of(const Demand& demand) {
  const auto& limit = demand.policy.limits.memory;
  const int64_t held = limit ? std::max(limit->bytes, demand.memory) : kMostMemory;
  return {std::max<int64_t>(demand.cpu, 1), std::min(held, kMostMemory), demand.accelerators};
}

Charge charge_of(const contracts::Sandbox& session) {
  const auto& limits = session.spec.security.limits;
  return {1, limits.memory_bytes.value_or(contracts::session_defaults::kMemoryBytes), {}};
}

void Charges::add(const Charge& charge, int64_t sign) {
  runs += sign;
  cpu += sign * charge.cpu;
  memory += sign * charge.memory;
  if (!charge.accelerators) return;
  const int64_t count = sign * charge.accelerators->count;
  if (charge.accelerators->kind != contracts::AcceleratorKind::kAny)
    return count_device(devices, charge.accelerators->kind, count);
  for (int64_t& each : devices) each += count;
}

}  // namespace paddock::scheduler
