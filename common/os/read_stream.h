// Files that people name on a command line. read_file() (file.h) is of regular files: nobody feeds
// our state and our configuration meanwhile, and of a FIFO that nobody writes a start would never
// end. InvalidArgument, NOT_A_REGULAR_FILE: a folder, a FIFO, a device. Whoever names a descriptor
// means what comes out of it: `/dev/stdin`, `/dev/null` and `/dev/fd/63`, as which a shell hands
// over its `<(…)`, are read to their end.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/result.h"

namespace paddock::os {

// Of whatever is there, to its end, however long that takes: who named it can end the command.
// Never by a daemon.
Result<std::string> read_stream(const std::string& path, size_t limit = size_t{64} << 20);

}  // namespace paddock::os
