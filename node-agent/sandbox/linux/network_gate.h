// Answers the system calls that the filter asks about: addresses of a network are refused and
// recorded, local sockets go on. An address is only ever read to refuse or to name it; what makes
// the network unreachable is the empty network namespace, so a change after the reading gains
// nothing.
#pragma once

#include "node-agent/sandbox/denials.h"

namespace paddock::sandbox {

// Answers one waiting call. Never blocks on the command.
void answer_network_call(int listener, DenialList& denials);

}  // namespace paddock::sandbox
