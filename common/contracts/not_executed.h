// Commands that could not be executed: the exit codes that shells have for that. Header only.
#pragma once

#include "common/contracts/sandbox.h"

namespace paddock::contracts {

inline constexpr int64_t kNotExecutable = 126;
inline constexpr int64_t kCommandNotFound = 127;

// Whether that is how it ended. `silent`: nothing came out of it; a shell that ends with such a
// code has said why. A caller that waits is then told the result's `reason`, as nobody else says
// it.
inline bool was_not_executed(const RunResult& result, bool silent) {
  return silent && !result.error_class &&
         (result.exit_code == kNotExecutable || result.exit_code == kCommandNotFound);
}

}  // namespace paddock::contracts
