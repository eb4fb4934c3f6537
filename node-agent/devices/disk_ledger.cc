#include "node-agent/devices/disk_ledger.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/base/units.h"
#include "node-agent/devices/probe.h"

namespace paddock::devices {
namespace {

Error too_small(int64_t bytes, int64_t files, const DiskRoom& room, int64_t left) {
  const std::string few =
      room.files && *room.files < files ? cat(" and ", *room.files, " more files") : "";
  return {Code::kResourceExhausted, kNodeDiskTooSmall,
          cat("the run's files take ", format_bytes(bytes), " (", files,
              " files; each is kept in the node's cache and in the run's tree), and the node has ",
              format_bytes(std::max<int64_t>(left, 0)), few,
              " for them beyond minFree; use fewer or smaller files, free space on its disk, or "
              "add a node with a larger one")};
}

}  // namespace

DiskLedger::Hold::~Hold() {
  if (!held_) return;
  held_->with([&](Entries& held) {
    const auto mine = held.parts.find(what_);
    if (--mine->second.holders > 0) return;
    held.bytes -= mine->second.bytes;
    held.parts.erase(mine);
  });
}

// If the free space cannot be read, room is given: the writer will meet the error.
Result<DiskLedger::Hold> DiskLedger::take(const std::string& what, int64_t bytes, int64_t files) {
  const auto room = disk_room(folder_);
  int64_t left = 0;
  const bool fits = held_->with([&](Entries& held) {
    const auto same = held.parts.find(what);
    if (same != held.parts.end()) {
      ++same->second.holders;
      return true;
    }
    left = room ? room->bytes - min_free_ - held.bytes : bytes;
    if (bytes > left || (room && room->files && *room->files < files)) return false;
    held.parts[what] = {bytes, 1};
    held.bytes += bytes;
    return true;
  });
  if (fits) return Hold(held_, what);
  if (bytes < room->all_bytes) short_ = true;
  on_shortage_();
  return too_small(bytes, files, *room, left);
}

}  // namespace paddock::devices
