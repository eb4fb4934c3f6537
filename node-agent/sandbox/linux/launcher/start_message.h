// A run that was ordered ahead waits for one packet of its client: it brings the last argument of
// the command.
#pragma once

#include <optional>
#include <string>

#include "common/contracts/launch.h"

namespace paddock::sandbox {

struct StartMessage {
  std::string argument;          // the command's last
  contracts::LaunchBegun begun;  // the most that it may take from now on, and who reads its output
};

// Blocks until the packet comes. Returns nothing if the client hangs up or sends something else, or
// if `signals` becomes readable: then the run ends before it began.
std::optional<StartMessage> receive_start_message(int client, int signals);

}  // namespace paddock::sandbox
