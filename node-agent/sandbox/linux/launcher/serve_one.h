// One ready process of a server: waits for a request, runs it, ends.
#pragma once

#include <sys/types.h>

#include "node-agent/sandbox/linux/launcher/launcher_context.h"

namespace paddock::sandbox {

struct ReadyContext {
  LauncherContext& launcher;  // this process's own copy
  int listener = -1;
  int taken = -1;  // a pipe: this process's pid goes here when it has a request
  pid_t server = -1;
};

// Exit codes.
inline constexpr int kCleanExit = 0;    // what was lent to it may be lent again
inline constexpr int kUncleanExit = 1;  // or not

[[noreturn]] void serve_one(const ReadyContext& context, const Clock& clock);

}  // namespace paddock::sandbox
