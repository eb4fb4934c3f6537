// A command of a sandbox with the time that its caller gives it: the API takes none with a command.
#pragma once

#include "common/mcp/tools.h"

namespace paddock::mcp {

// Asks for the command, and cancels it once `time` has passed without an answer. The result of one
// that was canceled so has the class TIMEOUT and the code COMMAND_TIMEOUT; one that had ended by
// itself stays as it is. `ask` has a commandId of its own.
Result<wire::Value> run_within(Api& api, const Api::Ask& ask, Millis time);

}  // namespace paddock::mcp
