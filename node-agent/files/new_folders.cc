#include "node-agent/files/new_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/os/fd.h"
#include "common/os/file.h"
#include "node-agent/files/beneath.h"

namespace paddock::files {
namespace {

// A folder that is already there is good enough, even if it cannot be opened.
Status check_is_folder(int above, const std::string& name) {
  struct stat info {};
  if (fstatat(above, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return failed("looking at the folder", errno);
  if (S_ISLNK(info.st_mode)) return failed("making the folder", ELOOP);
  if (!S_ISDIR(info.st_mode)) return failed("making the folder", ENOTDIR);
  return {};
}

}  // namespace

Status NewFolders::make(const std::string& path) {
  if (path.empty()) return {};
  if (open_folder(root_, path).ok()) return {};
  TRY(make(parent_of(path)));
  ASSIGN_OR_RETURN(const os::Fd above, open_folder(root_, parent_of(path)));
  const std::string name = os::base_name(path);
  if (mkdirat(above.get(), name.c_str(), 0755) == 0) {
    made_.push_back(path);
    return {};
  }
  if (errno != EEXIST) return failed("making the folder", errno);
  return check_is_folder(above.get(), name);
}

// One that is in use by now is no longer ours to remove, and the kernel refuses it.
NewFolders::~NewFolders() {
  for (auto path = made_.rbegin(); path != made_.rend(); ++path) {
    const auto above = open_folder(root_, parent_of(*path));
    if (!above.ok() || unlinkat(above->get(), os::base_name(*path).c_str(), AT_REMOVEDIR) != 0)
      return;
  }
}

}  // namespace paddock::files
