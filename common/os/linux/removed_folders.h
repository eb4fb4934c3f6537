// Folders that were removed and are still there with all their blocks, because something is in
// them that a process holds: each file, folder or socket keeps the folder it was in.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <functional>

#include "common/os/fd.h"

namespace paddock::os {

// Calls `add` for each removed folder above what `folder`/`link` (a magic link of /proc) leads to,
// upwards until one that has a name. Above a file the kernel tells only root of it, since
// Linux 6.13 and on ext4 and XFS: elsewhere there is nothing to add. `on_disk`: any folder of that
// file system, opened to be read; -1: nothing is added above files.
void add_removed_above(int folder, const char* link, const struct stat& info, int on_disk,
                       const std::function<void(const struct stat&)>& add);

// Where a local socket has its name, or had it; invalid: nowhere, or we may not know. `socket` is a
// descriptor of the process or thread `pid`.
Fd place_of_socket(pid_t pid, int socket);

}  // namespace paddock::os
