// Turns signals into something to poll for: a run is to be canceled, or a child has changed. A
// process has one such pipe at a time; its destructor restores the signal handlers of before.
#pragma once

#include <signal.h>

#include <array>

#include "common/os/fd.h"

namespace paddock::sandbox {

class SignalPipe {
 public:
  static constexpr std::array kCancel = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};

  static Result<SignalPipe> make();
  SignalPipe(SignalPipe&& other) noexcept = default;
  SignalPipe& operator=(SignalPipe&& other) noexcept = default;
  ~SignalPipe();

  int fd() const { return pipe_.read.get(); }
  enum class Asked { kNothing, kCancel, kKill };
  // Empties the pipe: the most that the signals asked for.
  Asked take();

 private:
  SignalPipe() = default;

  os::Pipe pipe_;
  std::array<struct sigaction, 5> before_ = {};
  sigset_t mask_ = {};
};

}  // namespace paddock::sandbox
