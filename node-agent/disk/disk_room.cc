#include "node-agent/disk/disk_room.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::agent {
namespace {

constexpr int64_t kMinFiles = 1024;  // a run's project, its records and what it writes

contracts::Condition pressure(int64_t min_free, WallTime now) {
  return {.type = contracts::kDiskPressure,
          .status = "True",
          .reason = contracts::kNodeDiskFull,
          .message = cat("the disk of the agent's data folder has less than minFree (",
                         format_bytes(min_free), ") or no files left: free space on it, lower ",
                         "cacheQuota, or give the agent a dataDir on a larger disk; runs come back "
                         "by themselves"),
          .last_transition_time = wire::Timestamp{now}};
}

}  // namespace

bool is_disk_full(const devices::DiskRoom& room, int64_t min_free, bool was_full) {
  if (min_free <= 0) return false;
  const auto below = [&](int64_t free, int64_t line, int64_t all) {
    // On a disk that is hardly larger than the line, an empty disk must still count as having room.
    const int64_t most = all > line ? (all - line) / 2 : line / 4;
    return free < line + (was_full ? std::min(line / 4, most) : 0);
  };
  if (below(room.bytes, min_free, room.all_bytes)) return true;
  return room.files && below(*room.files, least_files(room), room.all_files);
}

int64_t least_files(const devices::DiskRoom& room) {
  return room.all_files > 0 ? std::min(kMinFiles, room.all_files / 10) : kMinFiles;
}

void tell_disk(contracts::NodeStatus& status, const std::optional<devices::DiskRoom>& room,
               const DiskUse& use, int64_t min_free, WallTime now) {
  if (!room) return;
  status.capacity.disk.bytes = room->bytes;
  // The scheduler subtracts the requests of placed runs from this. So the bytes that runs have
  // already written of their requests are added.
  status.allocatable_disk =
      wire::Quantity{std::max<int64_t>(0, room->bytes - min_free - use.held) + use.written};
  const bool was_full = contracts::disk_pressure(status) != nullptr;
  const bool full = is_disk_full(*room, min_free, was_full);
  if (full == was_full) return;
  std::erase_if(status.conditions, [](const contracts::Condition& each) {
    return each.type == contracts::kDiskPressure;
  });
  if (full) status.conditions.push_back(pressure(min_free, now));
}

}  // namespace paddock::agent
