#include "common/os/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"

namespace paddock::os {
namespace {

bool names_descriptor(const std::string& path) {
  return path == "/dev/stdin" || path == "/dev/null" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe (FIFO)";
  return "a device";
}

Status check_regular(const Fd& file, const std::string& name) {
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) return system_error(cat("looking at ", name), errno);
  if (S_ISREG(info.st_mode)) return {};
  return invalid_argument("NOT_A_REGULAR_FILE",
                          cat(name, " is ", kind_of(info.st_mode), " and no regular file"));
}

}  // namespace

Result<std::string> read_regular_file(const std::string& path, size_t limit) {
  const std::string name = base_name(path);
  const bool waits = names_descriptor(path);
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK)));
  if (!fd.valid()) return system_error(cat("opening ", name), errno);
  if (!waits) TRY(check_regular(fd, name));
  return read_all(fd.get(), limit).within(cat("reading ", name));
}

}  // namespace paddock::os
