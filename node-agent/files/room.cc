#include "node-agent/files/room.h"

#include <string>

#include "common/base/text.h"
#include "common/os/folder_use.h"
#include "node-agent/files/beneath.h"

namespace paddock::files {
namespace {

// Nearly every file system has blocks of this size. A network's file system gives as its block what
// it sends at once.
constexpr int64_t kWholeBlock = 4096;

int64_t in_blocks(int64_t bytes) { return (bytes + kWholeBlock - 1) / kWholeBlock * kWholeBlock; }

// A folder that may not be read counts as missing: nothing can be put into it anyway.
int64_t missing_folders(int root, const std::string& path) {
  int64_t out = 0;
  for (std::string at = path; !at.empty() && !open_folder(root, at).ok(); at = parent_of(at)) ++out;
  return out;
}

Status check_depth(const std::string& folder) {
  if (folder.empty() || split(folder, '/').size() < os::kDeepestFolder) return {};
  return Error{Code::kTooLarge, "TREE_TOO_DEEP",
               cat("folders may be nested less than ", os::kDeepestFolder, " deep")};
}

}  // namespace

// A file that is replaced stays until the new one is whole, so each file is one name more.
Result<Room> room_for(int root, const contracts::FileOrder& order, int64_t bytes) {
  const std::string folder = order.folder ? order.path : parent_of(order.path);
  TRY(check_depth(folder));
  const int64_t folders = missing_folders(root, folder);
  if (order.folder) return Room{.bytes = folders * kWholeBlock, .files = folders};
  return Room{.bytes = folders * kWholeBlock + in_blocks(bytes), .files = folders + 1};
}

}  // namespace paddock::files
