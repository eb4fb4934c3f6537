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
  if (held_) *held_ -= bytes_;
}

// Counted first, so that of two at the same time each sees the other.
Result<DiskLedger::Hold> DiskLedger::take(int64_t bytes, int64_t files) {
  const int64_t others = held_->fetch_add(bytes);
  Hold hold(held_, bytes);
  const auto room = disk_room(folder_);
  if (!room) return hold;  // whoever writes will hear of it
  const int64_t left = room->bytes - min_free_ - others;
  if (bytes <= left && (!room->files || files <= *room->files)) return hold;
  { const Hold given_back = std::move(hold); }
  short_ = true;
  on_shortage_();
  return too_small(bytes, files, *room, left);
}

}  // namespace paddock::devices
