// `paddock-sandbox broker`: how a launcher starts the network broker of its run, which is this same
// program. Nobody else does.
#pragma once

#include "common/base/time.h"

namespace paddock::sandbox {

// Descriptors that the broker was started with.
struct BrokerFds {
  int settings = -1;  // its configuration is read from here
  int talk = -1;      // to the launcher
  int sandbox = -1;   // to the sandbox's init process
  int network = -1;   // the namespace that it connects from; -1: the one it is in
};
// The whole life of the broker, in a process that holds the cancel signals. Returns the exit code.
int run_broker(const BrokerFds& fds, const Clock& clock);

}  // namespace paddock::sandbox
