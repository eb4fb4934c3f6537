// The launcher's own limits. backend/launch.h declares take_own_limits().
#pragma once

#include <cstdint>

namespace paddock::sandbox {

// How many descriptors a command may have where `hard` is the launcher's own ceiling. The rest is
// kept for the launcher and its helpers, so that they can pass descriptors on whatever commands do.
uint64_t open_files_for_commands(uint64_t hard);

}  // namespace paddock::sandbox
