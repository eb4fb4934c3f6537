// A launcher that serves many runs: `paddock-sandbox serve`. It keeps a few processes ready, each
// for one run; a request wakes one of them and meets nobody else. A hostile run can reach its own
// supervisor at most. The server ends with the process that started it, and its runs go on.
#pragma once

#include <string>
#include <vector>

#include "common/base/time.h"

namespace paddock::sandbox {

struct ServeOptions {
  std::string socket;  // a file for its owner only, made anew
  std::string lock;    // held as long as the server lives
  int ready = 4;       // processes that wait for a request
  // For sessions, whose runs all name tools: the filter asks about each program from the start.
  bool judge_exec = false;
  std::vector<std::string> tools;  // that most requests name: then they cost nothing
  // For short code: the result need not wait for the kernel to take an interpreter's memory apart.
  bool hold_exit = false;
};

// Returns the program's exit code: 3 if another server holds the lock.
int serve(const ServeOptions& options, const Clock& clock);

}  // namespace paddock::sandbox
