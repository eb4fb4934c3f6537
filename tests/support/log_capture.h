// Collects what is logged while it lives. For tests only, and one at a time in a process: they all
// log to one descriptor.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "common/base/log.h"

namespace paddock::test {

class LogCapture {
 public:
  LogCapture() {
    if (pipe(ends_.data()) != 0 || fcntl(ends_[0], F_SETFL, O_NONBLOCK) != 0) std::abort();
#ifdef F_SETPIPE_SZ  // a page of some hosts is larger
    fcntl(ends_[1], F_SETPIPE_SZ, 64 << 10);
#endif
    set_log_fd(ends_[1]);
  }
  ~LogCapture() {
    set_log_fd(STDERR_FILENO);
    set_log_level(LogLevel::kInfo);
    for (const int end : ends_) close(end);
  }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  int fd() const { return ends_[1]; }
  // Makes a little room; how much of it was read.
  template <size_t kSize>
  ssize_t read_some(std::array<char, kSize>& into) const {
    return read(ends_[0], into.data(), into.size());
  }
  // What was logged since the last call. A pipe keeps 64 KiB: what is more is lost.
  std::string text() const {
    std::string out;
    std::array<char, 8192> buffer{};
    for (ssize_t got = 0; (got = read(ends_[0], buffer.data(), buffer.size())) > 0;)
      out.append(buffer.data(), static_cast<size_t>(got));
    return out;
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace paddock::test
