// Signals as something to poll for: a run is to be canceled, a child has changed. One at a time in
// a process; what was set before comes back with its end.
#pragma once

#include <signal.h>

#include <array>

#include "common/os/fd.h"

namespace paddock::sandbox {

class SignalPipe {
 public:
  static constexpr std::array kCancel = {SIGTERM, SIGINT, SIGHUP};

  static Result<SignalPipe> make();
  SignalPipe(SignalPipe&& other) noexcept = default;
  SignalPipe& operator=(SignalPipe&& other) noexcept = default;
  ~SignalPipe();

  int fd() const { return pipe_.read.get(); }
  // Empties the pipe; true if one of the signals was a cancel.
  bool take_cancel();

 private:
  SignalPipe() = default;

  os::Pipe pipe_;
  std::array<struct sigaction, 4> before_ = {};
  sigset_t mask_ = {};
};

}  // namespace paddock::sandbox
