// Files of a daemon: its settings, its secrets and its state. Nobody feeds them while they are
// read, so what is no regular file is there by mistake and is not waited for.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/result.h"

namespace paddock::os {

// As read_file(), but of a regular file: of a FIFO that nobody writes a start would never end.
// Whoever names a descriptor means what comes out of it: `/dev/stdin`, `/dev/null` and
// `/dev/fd/63`, as which a shell hands over its `<(…)`, are read to their end. InvalidArgument,
// NOT_A_REGULAR_FILE: a folder, a FIFO, a device.
Result<std::string> read_regular_file(const std::string& path, size_t limit = size_t{64} << 20);

}  // namespace paddock::os
