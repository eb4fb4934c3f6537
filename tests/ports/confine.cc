// paddock-confine on Linux: confined is what the stand-in for sandbox-exec has marked.
#include "node-agent/sandbox/macos/confine.h"

#include <sys/prctl.h>

int main(int argc, char** argv) {
  return paddock::sandbox::confine({argv + 1, argv + argc},
                                   [] { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1; });
}
