// To the disk, not only to its cache. As fsync(2) and fdatasync(2): 0, or -1 with errno.
#pragma once

namespace paddock::os {

int sync_all(int fd);
// The content, and of the rest only what it takes to read it again.
int sync_data(int fd);
// All of the file system that it is on.
int sync_file_system(int fd);

}  // namespace paddock::os
