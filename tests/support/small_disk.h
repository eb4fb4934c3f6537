// A disk of a few bytes, and a process of its own to mount it in. For tests only.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "common/base/text.h"

namespace paddock::test {

// What `body` returns in a process of its own, whose limits and mounts it may change. The process
// ends without closing anything that `body` leaves open, as in a crash.
inline std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string out = body();
    ::_exit(::write(ends[1], out.data(), out.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string out;
  char buffer[4096];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    out.append(buffer, static_cast<size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? out : cat("the child ended with ", status);
}

inline constexpr const char* kNoMounts = "mounts are not possible here";

// A disk of its own for this process, of this size.
inline bool mount_disk(const std::string& path, const char* size) {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", path.c_str(), "tmpfs", 0, cat("size=", size).c_str()) == 0;
}
inline bool change_disk(const std::string& path, unsigned long flags, const char* size) {
  return ::mount("tmpfs", path.c_str(), "tmpfs", MS_REMOUNT | flags, cat("size=", size).c_str()) ==
         0;
}

}  // namespace paddock::test
