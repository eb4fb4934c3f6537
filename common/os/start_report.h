// How a program tells whoever starts it why it could not begin: over a pipe of that one start. So a
// full disk, which takes no line of a log, says it too, and no line of an earlier start is taken
// for this one's.
#pragma once

#include <optional>
#include <string>

#include "common/os/fd.h"

namespace paddock::os {

// The variable with the number of the pipe's end that the program writes to.
inline constexpr const char* kStartReportVariable = "PADDOCK_START_REPORT";

struct StartFailure {
  std::string code;  // code_name()
  std::string reason;
  std::string message;
};

// The program's end, taken out of its environment; not valid if nobody asks. Before any thread.
Fd take_start_report();
// At most one; it never waits. A starter that has gone meanwhile misses it.
void report_start_failure(const Fd& starter, const Error& error);
// What the program has said; nothing: it said nothing. `report`: the reading end of the pipe, while
// no other end of it is open here. Never waits.
std::optional<StartFailure> read_start_failure(const Fd& report);

}  // namespace paddock::os
