#include "node-agent/app/disk_relief.h"

#include "common/base/text.h"
#include "common/base/units.h"

namespace paddock::agent {

std::optional<size_t> whom_to_end(const devices::DiskRoom& room, int64_t min_free,
                                  const std::vector<DiskUser>& runs) {
  int64_t free = room.bytes;
  for (const DiskUser& each : runs) free += each.ending ? each.written : 0;
  if (min_free <= 0 || free >= end_line(min_free)) return std::nullopt;
  std::optional<size_t> worst;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].ending || runs[i].beyond() <= 0) continue;
    if (!worst || runs[i].beyond() > runs[*worst].beyond()) worst = i;
  }
  return worst;
}

std::string beyond_request_text(const DiskUser& run, int64_t free, int64_t min_free) {
  return cat("the run was ended, as the disk of its node has ", format_bytes(free),
             " left and no run there had written more beyond what it asked for: ",
             format_bytes(run.written), " of ", format_bytes(run.asked), " (the line is ",
             format_bytes(end_line(min_free)),
             ", a quarter of the agent's minFree); would help: ask for what it writes (`--disk`, "
             "spec.resources.disk), so that it is placed where there is room for it");
}

}  // namespace paddock::agent
