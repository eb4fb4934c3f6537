#include "common/os/lock_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::os {
namespace {

struct flock whole_file(short type = F_WRLCK) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// Whether `path` still names the file behind `fd`: it may have been removed while we locked it.
bool still_named(int fd, const std::string& path) {
  struct stat opened = {};
  struct stat named = {};
  return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

Status lock(int fd, const std::string& name, short type = F_WRLCK) {
  struct flock lock = whole_file(type);
  while (::fcntl(fd, F_OFD_SETLK, &lock) != 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EACCES) return system_error(cat("locking ", name), errno);
    return Error{Code::kFailedPrecondition, "LOCK_HELD", cat(name, " is held by another process")};
  }
  return {};
}

Result<Fd> open_and_lock(const std::string& path, short type) {
  const std::string name = base_name(path);
  while (true) {
    Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!fd.valid()) return system_error(cat("opening the lock file ", name), errno);
    TRY(lock(fd.get(), name, type));
    if (still_named(fd.get(), path)) return fd;
  }
}

}  // namespace

Result<LockFile> LockFile::take(Fd file) {
  TRY(lock(file.get(), "the lock file"));
  return LockFile(std::move(file));
}

Result<LockFile> LockFile::acquire(const std::string& path) {
  ASSIGN_OR_RETURN(Fd fd, open_and_lock(path, F_WRLCK));
  return LockFile(std::move(fd));
}

Result<LockFile> LockFile::share(const std::string& path) {
  ASSIGN_OR_RETURN(Fd fd, open_and_lock(path, F_RDLCK));
  return LockFile(std::move(fd));
}

Status LockFile::make_shared() { return lock(fd_.get(), "the lock file", F_RDLCK); }

bool LockFile::held(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid()) return errno != ENOENT;  // not ours to look into: count it as held
  struct flock lock = whole_file();
  return ::fcntl(fd.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace paddock::os
