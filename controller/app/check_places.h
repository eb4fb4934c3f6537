// Places of this host that a controller needs, tried without leaving anything there.
#pragma once

#include <string>

#include "common/base/result.h"
#include "controller/app/config.h"

namespace paddock::app {

// Whether files can be made in it: one without a name is, and is gone again. Of a folder that is
// not there yet, whether it can be made. STORE_UNWRITABLE, DISK_FULL, DISK_READ_ONLY, DISK_FAILS.
Status try_folder(const std::string& path);

// Whether it can be listened on: it is taken for a moment, if nobody has it. PORT_IN_USE,
// ADDRESS_INVALID, ADDRESS_UNAVAILABLE; PLAIN_HTTP_NOT_LOOPBACK where it is to be loopback alone.
Status try_port(const std::string& host, int port, bool loopback_alone);

// Whether a controller uses the data folder now.
bool runs_here(const Config& config);

}  // namespace paddock::app
