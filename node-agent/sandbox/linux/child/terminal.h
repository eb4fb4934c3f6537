// The terminal of a command that is executed in a run. It is one of the run's own, made by the
// command's process while that is still ours, so that it counts there and is nobody else's.
#pragma once

#include <cstdint>

#include "common/base/result.h"

namespace paddock::sandbox {

// Rows and columns, of at most 15 bits each, as the number of a control message; 0 is no terminal.
constexpr int pack_size(int64_t rows, int64_t columns) {
  return static_cast<int>(rows << 16 | columns);
}

// Every terminal that the sandbox may have is in use. (The code is ResourceExhausted.)
inline constexpr Reason kNoTerminalLeft = "E_LIMIT_TERMINALS";

// In a process that leads a session without a terminal, stands in the sandbox's view and is its
// user: the terminal becomes that of the session and its standard streams. The other end goes to
// the launcher over `control`, and nobody inside has it.
Status take_terminal(int control, int packed_size);

}  // namespace paddock::sandbox
