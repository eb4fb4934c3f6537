// A thread of the command that waits for an answer: its memory, its program, its process. The
// command can change all of that at any time, so no decision about safety rests on it. The one
// exception is the copy of a descriptor: it stays the same open file, whatever becomes of its
// number. Reading memory and copying a descriptor can block on kernel locks that the command's
// threads hold as long as they like. So the thread that keeps time must do neither.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/time.h"
#include "common/os/fd.h"

namespace paddock::sandbox {

class NotifyingThread {
 public:
  NotifyingThread(pid_t thread, const Clock& clock)
      : thread_(thread), clock_(clock), patience_until_(clock.mono() + kPatience) {}
  pid_t thread() const { return thread_; }

  // Reads at most `bytes`, and fewer where the memory ends.
  std::string read(uint64_t address, size_t bytes) const;
  // Whether reading its memory has taken longer than one question is worth.
  bool keeps_us() const { return reads_ > 0 && clock_.mono() >= patience_until_; }
  int reads() const { return reads_; }
  // Up to the first NUL byte, and at most `bytes`.
  std::string read_text(uint64_t address, size_t bytes) const;
  // Its program, as a printable name; empty if it has ended.
  std::string executable() const;
  // A copy of one of its descriptors; invalid if there is none.
  os::Fd descriptor(int number) const;

  struct Process {
    pid_t pid = -1;
    pid_t inside = -1;          // as the sandbox numbers it
    pid_t thread_inside = -1;   // the asking thread of it
    bool sigsys_kills = false;  // for certain: one thread, no handler, not blocked
    bool interrupted = false;   // the asking thread has a signal to handle
    int threads = 1;
    int64_t user = -1;                // its real user
    int depth = 0;                    // of how many pid namespaces it has a number
    std::optional<int> filters = {};  // that bind the asking thread; Linux 5.9
  };
  std::optional<Process> process() const;

 private:
  static constexpr Millis kPatience{200};

  pid_t thread_;
  const Clock& clock_;
  MonoTime patience_until_;
  mutable int reads_ = 0;
  mutable std::optional<std::string> executable_;
};

}  // namespace paddock::sandbox
