// Ctrl-C and its relatives as calls on an ordinary thread, where anything may be done.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "common/os/fd.h"

namespace paddock::cli {

// While it lives, SIGINT, SIGTERM and SIGHUP call `on_signal(signal, count)` on a thread of its
// own, count from 1. One at a time per process.
class Interrupts {
 public:
  using Handler = std::function<void(int signal, int count)>;
  static Result<std::unique_ptr<Interrupts>> start(Handler on_signal);
  ~Interrupts();  // restores the former dispositions and ends the thread
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  Interrupts(os::Pipe pipe, Handler on_signal);
  os::Pipe pipe_;
  std::thread thread_;
};

// While an object of this class lives, the first signal ends the program. Opening a pipe that has
// no writer, or reading from an idle terminal, would wait without end, and at that point no request
// has been sent that would have to be canceled.
class ReadingFile {
 public:
  ReadingFile();
  ~ReadingFile();
  ReadingFile(const ReadingFile&) = delete;
  ReadingFile& operator=(const ReadingFile&) = delete;
};

}  // namespace paddock::cli
