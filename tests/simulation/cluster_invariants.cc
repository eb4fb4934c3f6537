#include "tests/simulation/cluster_invariants.h"

#include <set>
#include <utility>
#include <vector>

#include "common/base/text.h"

namespace paddock::simulation {

using contracts::Run;
using contracts::RunPhase;

bool ended(const Run& run) {
  return run.status.phase == RunPhase::kSucceeded || run.status.phase == RunPhase::kFailed ||
         run.status.phase == RunPhase::kCanceled;
}

std::string check_load(const AgentHost& host, store::ReadTxn& txn) {
  const auto runs = txn.active_runs_on(host.name());
  if (!runs.ok()) return runs.error().describe();
  int64_t cpu = 0;
  int64_t memory = 0;
  int64_t disk = 0;
  size_t devices = 0;
  for (const Run& run : *runs) {
    const contracts::Resources& asked = *run.spec.resources;
    cpu += asked.cpu.value_or(0);
    disk += asked.disk ? asked.disk->bytes : 0;
    memory += asked.memory ? asked.memory->bytes : 0;
    devices += asked.accelerators ? static_cast<size_t>(asked.accelerators->count) : 0;
  }
  const contracts::NodeStatus& has = host.status();
  if (static_cast<int64_t>(runs->size()) > has.capacity.max_runs) return "too many runs on a node";
  if (cpu > has.capacity.cpu) return "more cores promised than there are";
  if (memory > has.capacity.memory.bytes) return "more memory promised than there is";
  if (disk > has.allocatable_disk->bytes) return "more disk promised than there is";
  return devices > has.devices.size() ? "a device promised twice" : "";
}

void Held::add(const Run& run) {
  const contracts::Resources& asked = *run.spec.resources;
  runs += 1;
  cpu += asked.cpu.value_or(1);
  memory += run.status.policy->limits.memory->bytes;
  disk += run.status.policy->limits.fs_bytes->bytes;
  devices += asked.accelerators ? asked.accelerators->count : 0;
}

std::string Held::beyond(const contracts::ComputeQuota& quota) const {
  if (quota.runs && runs > *quota.runs) return "placed over the granted runs";
  if (quota.cpu && cpu > *quota.cpu) return "placed over the granted cores";
  if (quota.memory && memory > quota.memory->bytes) return "placed over the granted memory";
  if (quota.disk && disk > quota.disk->bytes) return "placed over the granted disk";
  for (const auto& each : quota.accelerators) {
    if (devices > each.count) return "placed over the granted devices";
  }
  return "";
}

std::string check_quota(store::ReadTxn& txn) {
  const auto runs = txn.active_runs();
  if (!runs.ok()) return runs.error().describe();
  int64_t placed = 0;
  for (const Run& run : *runs) {
    if (run.status.array) continue;  // never placed itself
    const bool waits = run.status.phase == RunPhase::kPending;
    placed += !waits && run.metadata.name_space == "limited" ? 1 : 0;
    const bool told = is_one_of(run.status.reason, {"UNSCHEDULABLE", "QUOTA_IN_USE"});
    if (waits && told && run.status.message.empty()) return "a run waits and does not say why";
  }
  return placed > kLimitedRuns ? "a namespace is over its quota" : "";
}

namespace {

std::string check_members(const Run& gang, const std::vector<Run>& members) {
  std::set<std::string> nodes;
  int64_t placed = 0;
  bool all_succeeded = true;
  for (const Run& member : members) {
    const bool has_node = !ended(member) && !member.status.node_name.empty();
    if (member.status.attempt != members.front().status.attempt)
      return "a gang that is placed in part";
    if (has_node && !nodes.insert(member.status.node_name).second)
      return "two members of a gang on one host";
    placed += has_node ? 1 : 0;
    all_succeeded = all_succeeded && member.status.phase == RunPhase::kSucceeded;
    if (ended(gang) && !ended(member)) return "a gang that ended before its members";
  }
  if (placed > 0 && static_cast<int64_t>(members.size()) != *gang.spec.nodes)
    return "a gang that is placed before all of it is there";
  const bool succeeded = gang.status.phase == RunPhase::kSucceeded;
  return ended(gang) && succeeded != all_succeeded ? "a gang did not end as its members did" : "";
}

}  // namespace

// All of it: its members are there as long as it is.
std::string check_gang(store::ReadTxn& txn, const Run& gang) {
  std::vector<Run> members;
  for (int64_t index = 0; index < *gang.spec.nodes; ++index) {
    auto member = txn.find<Run>({gang.metadata.name_space, cat(gang.metadata.name, "-", index)});
    if (!member.ok()) return member.error().describe();
    if (*member) members.push_back(std::move(**member));
  }
  if (members.empty()) {
    const bool never_made =
        gang.status.phase != RunPhase::kRunning && gang.status.phase != RunPhase::kSucceeded;
    return never_made ? "" : "a gang without members";
  }
  return check_members(gang, members);
}

}  // namespace paddock::simulation
