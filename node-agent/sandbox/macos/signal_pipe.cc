#include "node-agent/sandbox/macos/signal_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace paddock::sandbox {
namespace {

constexpr std::array kTaken = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCHLD};
volatile sig_atomic_t pipe_of_this_process = -1;

void on_signal(int signal) {
  const int before = errno;
  const char byte = static_cast<char>(signal);
  (void)!write(pipe_of_this_process, &byte, 1);  // full: somebody will look anyway
  errno = before;
}

}  // namespace

Result<SignalPipe> SignalPipe::make() {
  SignalPipe out;
  ASSIGN_OR_RETURN(out.pipe_, os::make_pipe());
  for (const os::Fd* end : {&out.pipe_.read, &out.pipe_.write}) {
    if (fcntl(end->get(), F_SETFL, O_NONBLOCK) != 0) return system_error("the signal pipe", errno);
  }
  pipe_of_this_process = out.pipe_.write.get();
  sigset_t taken;
  sigemptyset(&taken);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kTaken.size(); ++i) {
    sigaddset(&taken, kTaken[i]);
    sigaction(kTaken[i], &action, &out.before_[i]);
  }
  sigprocmask(SIG_UNBLOCK, &taken, &out.mask_);
  return out;
}

SignalPipe::~SignalPipe() {
  if (!pipe_.read.valid()) return;
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
  for (size_t i = 0; i < kTaken.size(); ++i) sigaction(kTaken[i], &before_[i], nullptr);
}

SignalPipe::Asked SignalPipe::take() {
  Asked asked = Asked::kNothing;
  char bytes[64];
  ssize_t n = 0;
  while ((n = read(fd(), bytes, sizeof bytes)) > 0) {
    for (ssize_t i = 0; i < n; ++i) {
      if (bytes[i] == SIGQUIT) {
        asked = Asked::kKill;
      } else if (std::ranges::find(kCancel, int{bytes[i]}) != kCancel.end()) {
        asked = std::max(asked, Asked::kCancel);
      }
    }
  }
  return asked;
}

}  // namespace paddock::sandbox
