#include "common/os/sync.h"

#include <unistd.h>

namespace paddock::os {

int sync_all(int fd) { return ::fsync(fd); }
int sync_data(int fd) { return ::fdatasync(fd); }
int sync_file_system(int fd) { return ::syncfs(fd); }

}  // namespace paddock::os
