// A unix socket file of our own: mode 0600 from the moment it exists.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/os/fd.h"

namespace paddock::http_server {

struct UnixListener {
  os::Fd fd;
  dev_t device = 0;  // of the socket file: who removes it checks that it is still this one
  ino_t inode = 0;
};

// UNIX_SOCKET_PATH_INVALID (too long, another kind of file, or a folder that is not there or takes
// none), UNIX_SOCKET_IN_USE. Two servers
// that start on the same stale file at the same moment must be kept apart by their instance's lock.
Result<UnixListener> listen_on_unix_socket(const std::string& path, int backlog);

// Makes the checks that listen_on_unix_socket() makes first; nothing is made or removed.
Status try_unix_socket(const std::string& path);

}  // namespace paddock::http_server
