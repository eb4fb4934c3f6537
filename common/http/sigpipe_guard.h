// Keeps a broken TLS connection from ending the process: SIGPIPE is blocked in this thread for the
// guard's life, and one that arose meanwhile is taken away.
#pragma once

#include <csignal>

#include "common/os/socket.h"

namespace paddock::http {

class SigpipeGuard {
 public:
  SigpipeGuard() {
    was_pending_ = is_pending();
    ::pthread_sigmask(SIG_BLOCK, &pipe_only(), &before_);
  }
  ~SigpipeGuard() {
    if (!was_pending_) os::take_sigpipe();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  static bool is_pending() {
    sigset_t pending;
    ::sigpending(&pending);
    return sigismember(&pending, SIGPIPE) == 1;
  }
  static const sigset_t& pipe_only() {
    static const sigset_t set = [] {
      sigset_t made;
      sigemptyset(&made);
      sigaddset(&made, SIGPIPE);
      return made;
    }();
    return set;
  }
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace paddock::http
