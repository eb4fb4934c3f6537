// Keeps a broken TLS connection from ending the process: SIGPIPE is blocked in this thread for the
// guard's life, and one that arose meanwhile is taken away.
#pragma once

#include <csignal>
#include <ctime>

namespace paddock::http {

class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_only(), &before_);
  }
  ~SigpipeGuard() {
    if (!was_pending_) {
      const timespec now = {};
      while (::sigtimedwait(&pipe_only(), nullptr, &now) == SIGPIPE) continue;
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  static const sigset_t& pipe_only() {
    static const sigset_t set = [] {
      sigset_t made;
      ::sigemptyset(&made);
      ::sigaddset(&made, SIGPIPE);
      return made;
    }();
    return set;
  }
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace paddock::http
