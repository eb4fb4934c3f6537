// paddock-confine: see macos/confine.h.
#include <unistd.h>

#include "node-agent/sandbox/macos/confine.h"

// A function of libSystem that is in no public header. It returns 1 if the process is confined, or
// if it may not do `operation`.
extern "C" int sandbox_check(pid_t pid, const char* operation, int type, ...);

int main(int argc, char** argv) {
  return paddock::sandbox::confine({argv + 1, argv + argc}, [] {
    return sandbox_check(getpid(), nullptr, 0) == 1 &&
           sandbox_check(getpid(), "network-outbound", 0) == 1;
  });
}
