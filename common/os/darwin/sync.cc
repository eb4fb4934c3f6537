#include "common/os/sync.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace paddock::os {
namespace {

// Not every file system can empty the drive's cache.
bool cannot(int error) { return error == ENOTSUP || error == ENOTTY || error == EINVAL; }

}  // namespace

// fsync() of macOS leaves it in the drive's cache (fsync(2)).
int sync_all(int fd) {
  if (::fcntl(fd, F_FULLFSYNC) == 0) return 0;
  return cannot(errno) ? ::fsync(fd) : -1;
}

int sync_data(int fd) { return sync_all(fd); }

// Returns the error, and leaves errno as it was.
int sync_file_system(int fd) {
  const int error = ::fsync_volume_np(fd, SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT);
  if (error == 0) return 0;
  if (cannot(error)) {
    ::sync();
    return 0;
  }
  errno = error;
  return -1;
}

}  // namespace paddock::os
