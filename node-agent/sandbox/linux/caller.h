// The thread of a command that waits for an answer: its memory, its program, its process. All of it
// is the command's own to change at any time, and nothing read here decides about its safety.
// Nothing blocks: memory is read only where it is already a page or can become one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "common/os/fd.h"

namespace paddock::sandbox {

class Caller {
 public:
  explicit Caller(pid_t thread) : thread_(thread) {}
  pid_t thread() const { return thread_; }

  // At most `bytes`, fewer where its memory ends.
  std::string read(uint64_t address, size_t bytes) const;
  // Up to the first NUL byte, and at most `bytes`.
  std::string read_text(uint64_t address, size_t bytes) const;
  // Its program, as a printable name; empty if it has ended.
  std::string executable() const;
  // A copy of one of its descriptors; invalid if there is none.
  os::Fd descriptor(int number) const;

  struct Process {
    pid_t pid = -1;
    pid_t inside = -1;          // as the sandbox numbers it
    bool sigsys_kills = false;  // for certain: one thread, no handler, not blocked
  };
  std::optional<Process> process() const;

 private:
  pid_t thread_;
  mutable std::optional<std::string> executable_;
};

}  // namespace paddock::sandbox
