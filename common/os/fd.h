// Owned file descriptors. Every descriptor we open is close-on-exec.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"

namespace paddock::os {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read;
  Fd write;
};
Result<Pipe> make_pipe();

// Writes all of `bytes`, retrying short writes and EINTR.
Status write_all(int fd, std::string_view bytes);
// Everything up to end of file; an error with reason FILE_TOO_LARGE beyond `limit` bytes.
Result<std::string> read_all(int fd, size_t limit);
// False too if it cannot be told.
bool is_regular_file(const Fd& fd);

}  // namespace paddock::os
