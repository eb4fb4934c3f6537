// A run that was ordered ahead waits for one packet of its client: it brings the last argument of
// the command.
#pragma once

#include <optional>
#include <string>

#include "common/base/units.h"

namespace paddock::sandbox {

struct StartMessage {
  std::string argument;  // the command's last
  Millis wall_time{0};   // the most that the run may take from now on
};

// Blocks until the packet comes. Returns nothing if the client hangs up or sends something else, or
// if `signals` becomes readable: then the run ends before it began.
std::optional<StartMessage> receive_start_message(int client, int signals);

}  // namespace paddock::sandbox
