// Files that people name on a command line; our state and our configuration are for read_file()
// (file.h), which waits for nobody.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/result.h"

namespace paddock::os {

// Reads whatever is there to its end, however long that takes: the person who named it can end the
// command. A daemon must never call it.
Result<std::string> read_stream(const std::string& path, size_t limit = size_t{64} << 20);

}  // namespace paddock::os
