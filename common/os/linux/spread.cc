#include "common/os/spread.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "common/os/fd.h"

namespace paddock::os {

void spread_folders(const std::string& folder) {
  const Fd opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  int flags = 0;
  if (!opened.valid() || ioctl(opened.get(), FS_IOC_GETFLAGS, &flags) != 0) return;
  flags |= FS_TOPDIR_FL;
  (void)ioctl(opened.get(), FS_IOC_SETFLAGS, &flags);
}

}  // namespace paddock::os
