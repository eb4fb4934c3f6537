// Small nodes and runs for the scheduler's tests.
#pragma once

#include <map>
#include <string>

#include "common/base/text.h"
#include "controller/runs/transitions.h"
#include "controller/scheduler/cluster.h"

namespace paddock::scheduler {

inline constexpr WallTime kNow{1'750'000'000'000};

inline contracts::Node node(const std::string& name, int64_t max_runs = 4, int64_t cpu = 8) {
  contracts::Node out;
  out.metadata.name = name;
  out.status.ready = true;
  out.status.capacity = {cpu, {16LL << 30}, {1LL << 40}, max_runs};
  return out;
}

inline contracts::Run run(const std::string& uid, const std::string& name_space = "default",
                          int64_t priority = 0) {
  contracts::Run out;
  out.metadata.name = out.metadata.uid = uid;
  out.metadata.name_space = name_space;
  out.metadata.creation_timestamp = wire::Timestamp{kNow};
  out.spec.priority = priority;
  return out;
}

inline contracts::Run with_cpu(contracts::Run out, int64_t cpu) {
  out.spec.resources.emplace().cpu = cpu;
  return out;
}

inline Cluster::Config with_quota(const std::string& name_space, Quota quota) {
  return {.quotas = Quotas({{name_space, quota}})};
}

inline std::map<std::string, int> bound_by_space(const Plan& plan) {
  std::map<std::string, int> out;
  for (const Binding& each : plan.bindings) ++out[each.name_space];
  return out;
}

inline contracts::Run bound(contracts::Run out, const std::string& where) {
  static_cast<void>(runs::bind(out, where, kNow).value());
  return out;
}

}  // namespace paddock::scheduler
