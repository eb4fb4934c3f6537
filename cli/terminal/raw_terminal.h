// The terminal that a person sits at, while each key goes elsewhere as it is pressed.
#pragma once

#include <memory>
#include <optional>

#include "common/os/fd.h"

namespace paddock::cli {

// While it lives, the terminal `fd` neither echoes, nor waits for a line, nor makes a signal of a
// key. Its end puts the terminal back as it was; so does a signal that kills us, unless it is
// SIGKILL, and so does SIGTSTP, until we go on. One at a time per process.
class RawTerminal {
 public:
  // Makes the terminal raw; nothing if `fd` is no terminal, or cannot be changed.
  static std::unique_ptr<RawTerminal> begin(int fd);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  RawTerminal() = default;
};
// Does the same at once, for who ends the process: nothing if there is none. A signal handler may
// call it.
void restore_terminal();

struct WindowSize {
  int rows = 24;
  int columns = 80;
  friend bool operator==(const WindowSize&, const WindowSize&) = default;
};
// The window size of the first of these that is a terminal and says its size.
WindowSize window_size(int first, int second);

// While it lives, fd() becomes readable when the window's size changes. One at a time per process.
class WindowChanges {
 public:
  static Result<std::unique_ptr<WindowChanges>> start();
  ~WindowChanges();
  WindowChanges(const WindowChanges&) = delete;
  WindowChanges& operator=(const WindowChanges&) = delete;
  int fd() const { return pipe_.read.get(); }
  void clear() const;

 private:
  explicit WindowChanges(os::Pipe pipe) : pipe_(std::move(pipe)) {}
  os::Pipe pipe_;
};

}  // namespace paddock::cli
