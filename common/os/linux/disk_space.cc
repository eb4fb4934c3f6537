#include "common/os/disk_space.h"

#include <fcntl.h>

#include <cerrno>

namespace paddock::os {

Status keep_room(int fd, int64_t from, int64_t bytes) {
  int done = 0;
  do {
    done = ::fallocate(fd, FALLOC_FL_KEEP_SIZE, from, bytes);
  } while (done != 0 && errno == EINTR);
  if (done == 0 || errno == EOPNOTSUPP || errno == ENOSYS || errno == ENODEV || errno == ESPIPE)
    return {};
  return system_error("keeping room on the disk", errno);
}

}  // namespace paddock::os
