// Lists the descriptors of this process. For the macOS backend only: Linux closes them in one call.
#pragma once

#include <vector>

namespace paddock::sandbox {

// In no order; empty where /dev/fd cannot be listed.
std::vector<int> open_descriptors();

}  // namespace paddock::sandbox
