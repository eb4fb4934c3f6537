// What a run that was ordered ahead still waits for: the end of its command, from its client.
#pragma once

#include <optional>
#include <string>

#include "common/base/units.h"

namespace paddock::sandbox {

struct LastWord {
  std::string argument;  // the command's last
  Millis wall_time{0};   // at most, from now on
};

// Blocks for it. Nothing: the run ends before it began, as its client left or said something else,
// or `signals` has become readable.
std::optional<LastWord> hear_last_word(int client, int signals);

}  // namespace paddock::sandbox
