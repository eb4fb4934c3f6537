// Files that people name on a command line; our state and our configuration are for read_file()
// (file.h), which waits for nobody.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/result.h"

namespace paddock::os {

// Of whatever is there, to its end, however long that takes: who named it can end the command.
// Never by a daemon.
Result<std::string> read_stream(const std::string& path, size_t limit = size_t{64} << 20);

}  // namespace paddock::os
