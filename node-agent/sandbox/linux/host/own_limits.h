// See launch.h for take_own_limits().
#pragma once

#include <cstdint>

namespace paddock::sandbox {

// The most descriptors that a command may have where `hard` is the launcher's own ceiling: the rest
// is what lets the launcher and its helpers hand over theirs whatever commands do.
uint64_t open_files_for_commands(uint64_t hard);

}  // namespace paddock::sandbox
