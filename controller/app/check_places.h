// Places of this host that a controller needs, tried without leaving anything there.
#pragma once

#include <memory>
#include <string>

#include "common/base/result.h"
#include "controller/app/config.h"
#include "controller/http_server/listener.h"

namespace paddock::app {

// Whether files can be made in it: one without a name is, and is gone again; where the file system
// has none, a folder is made and removed. For a folder that does not exist yet: whether it can be
// made. STORE_UNWRITABLE, FOLDER_IMPOSSIBLE, DISK_FULL, DISK_READ_ONLY, DISK_FAILS.
Status try_folder(const std::string& path);

// Whether it can be listened on: if nobody has it, it is taken for as long as the answer is kept.
// PORT_IN_USE, ADDRESS_INVALID, ADDRESS_UNAVAILABLE; PLAIN_HTTP_NOT_LOOPBACK where it is to be
// loopback alone.
using Taken = std::unique_ptr<http_server::Listener>;
Result<Taken> try_port(const std::string& host, int port, bool loopback_alone);

// Whether the lock of the data folder can be had, or is held: it is not touched. STORE_NOT_OURS
// where something else has its name, STORE_UNWRITABLE.
Status try_lock(const Config& config);
// Whether a controller uses the data folder now.
bool runs_here(const Config& config);

}  // namespace paddock::app
