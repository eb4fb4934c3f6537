#include "node-agent/host/data_folder.h"

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/os/file.h"
#include "common/os/lock_holder.h"
#include "common/os/start_reserve.h"

namespace paddock::agent {
namespace {

// On a full disk it takes no runs, prunes its cache, and says what else makes room.
void make_room(const std::string& data_dir) {
  const std::string full = os::full_disk_text(os::make_room_to_start(data_dir));
  if (full.empty()) return;
  log_error(full, {{"reason", contracts::kNodeDiskFull},
                   {"free_some", "free space on that disk, or lower cacheQuota and start again"}});
}

}  // namespace

Result<os::LockFile> lock_data_folder(const std::string& data_dir) {
  TRY(os::make_dirs(data_dir));
  make_room(data_dir);
  const std::string path = os::join_path(data_dir, "agent.lock");
  auto lock = os::LockFile::acquire(path);
  if (!lock && lock.error().reason == "LOCK_HELD") {
    return Error{Code::kFailedPrecondition, "DATA_DIR_IN_USE",
                 cat("another agent", os::lock_holder(path),
                     " uses this data folder; give this one a dataDir of its own")};
  }
  return lock;
}

}  // namespace paddock::agent
