#include "common/os/disk_space.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace paddock::os {

// What is kept is counted from the end of what the file has on the disk.
Status keep_room(int fd, int64_t from, int64_t bytes) {
  constexpr int64_t kBlock = 512;  // of st_blocks
  struct stat now {};
  if (::fstat(fd, &now) != 0) return system_error("keeping room on the disk", errno);
  fstore_t room{};
  room.fst_flags = F_ALLOCATEALL;
  room.fst_posmode = F_PEOFPOSMODE;
  room.fst_length = from + bytes - static_cast<int64_t>(now.st_blocks) * kBlock;
  if (room.fst_length <= 0 || ::fcntl(fd, F_PREALLOCATE, &room) == 0) return {};
  if (errno == ENOTSUP || errno == EINVAL || errno == ENOTTY) return {};
  return system_error("keeping room on the disk", errno);
}

}  // namespace paddock::os
