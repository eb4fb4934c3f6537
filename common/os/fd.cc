#include "common/os/fd.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace paddock::os {

void Fd::reset(int fd) {
  if (fd_ >= 0 && fd_ != fd) ::close(fd_);
  fd_ = fd;
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("writing", errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<std::string> read_all(int fd, size_t limit) {
  std::string out;
  std::array<char, 64 << 10> buffer;
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading", errno);
    if (got == 0) return out;
    if (static_cast<size_t>(got) > limit - out.size()) {
      return Error{Code::kTooLarge, "FILE_TOO_LARGE", "the file is larger than allowed here"};
    }
    out.append(buffer.data(), static_cast<size_t>(got));
  }
}

bool is_regular_file(const Fd& fd) {
  struct stat info {};
  return ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace paddock::os
