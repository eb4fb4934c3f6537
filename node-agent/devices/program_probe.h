// Asks a program, with a deadline: one that hangs holds up its own process and not the agent. Not
// thread-safe.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace paddock::devices {

// Why ProgramProbe has no answer.
inline constexpr Reason kProgramNotStarted = "PROGRAM_NOT_STARTED";
inline constexpr Reason kProgramSilent = "PROGRAM_SILENT";

class ProgramProbe {
 public:
  // `command` is an argv whose first part is the program's path.
  explicit ProgramProbe(std::vector<std::string> command, Millis patience = Millis(10'000))
      : command_(std::move(command)), patience_(patience) {}
  ~ProgramProbe();
  ProgramProbe(const ProgramProbe&) = delete;
  ProgramProbe& operator=(const ProgramProbe&) = delete;

  // Runs the program and returns all that it prints, 1 MiB at most; its exit code does not count.
  // Unavailable: kProgramNotStarted, or kProgramSilent when it takes longer than the patience (it
  // is killed then) or prints more. As long as the kernel does not end the last one, it counts as
  // silent, and no new one is started.
  Result<std::string> ask();

 private:
  bool still_held();

  std::vector<std::string> command_;
  Millis patience_;
  pid_t held_ = 0;  // a process that was killed and cannot die
};

}  // namespace paddock::devices
