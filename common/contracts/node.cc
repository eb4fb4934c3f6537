#include "common/contracts/node.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace paddock::contracts {
namespace {

constexpr std::string_view kTainted = "Tainted";

const Condition* true_condition(const NodeStatus& status, std::string_view type) {
  const auto found = std::ranges::find_if(status.conditions, [type](const Condition& each) {
    return each.type == type && each.status == "True";
  });
  return found == status.conditions.end() ? nullptr : &*found;
}

}  // namespace

NodeBounds bounds_of(const NodeStatus& status) { return {status.ceilings, status.largest_limits}; }

int64_t well_devices(const NodeStatus& status) {
  return std::ranges::count_if(status.devices, &std::string::empty, &Device::fault);
}

const Condition* disk_pressure(const NodeStatus& status) {
  return true_condition(status, kDiskPressure);
}

const Condition* host_fault(const NodeStatus& status) { return true_condition(status, kHostFault); }

const Condition* unfit(const NodeStatus& status) {
  const Condition* full = disk_pressure(status);
  return full != nullptr ? full : host_fault(status);
}

std::vector<std::string_view> closed_by(const Node& node) {
  const NodeStatus& status = node.status;
  std::vector<std::string_view> words;
  const Condition* full = disk_pressure(status);
  if (full != nullptr) words.emplace_back("DiskFull");
  if (unfit(status) != full) words.emplace_back("Faulty");
  if (status.cool_down && status.cool_down->until) words.emplace_back("Resting");
  if (node.spec.unschedulable) words.emplace_back("SchedulingDisabled");
  if (node.spec.drain) words.emplace_back("Draining");
  if (!node.spec.taints.empty()) words.push_back(kTainted);
  return words;
}

std::string status_words(const Node& node) {
  std::string words = node.status.ready ? "Ready" : "NotReady";
  if (node.status.reason == kNodeLost) words = "Lost";
  for (const std::string_view each : closed_by(node)) words += cat(",", each);
  return words;
}

bool is_open(const Node& node) {
  const std::vector<std::string_view> words = closed_by(node);
  return node.status.ready &&
         std::ranges::all_of(words, [](std::string_view each) { return each == kTainted; });
}

Error name_full_disk(Error error) {
  if (error.reason == kDiskReadOnlyReason || error.reason == kDiskFailsReason) {
    const bool read_only = error.reason == kDiskReadOnlyReason;
    error.reason = read_only ? kDiskReadOnly : kDiskFails;
    error.message +=
        cat(": the disk of the node's data folder ", read_only ? "is read-only" : "fails",
            "; look into the host's kernel log, mend it and mount it anew");
    return error;
  }
  if (error.code != Code::kResourceExhausted || error.reason != "SYSTEM_ERROR") return error;
  error.reason = kNodeDiskFull;
  error.message +=
      ": the disk of the node's data folder is full; free space on it, lower the agent's "
      "cacheQuota, or give it a dataDir on a larger disk";
  return error;
}

bool is_host_fault(const Error& named) {
  // STORE_IO: the folder of its cached files is not there.
  return is_one_of(named.reason,
                   {kNodeDiskFull, kDiskReadOnly, kDiskFails, "STORE_IO", "LAUNCHES_UNWRITABLE",
                    "SANDBOX_UNAVAILABLE", "SANDBOX_SETUP_FAILED"});
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Node);
