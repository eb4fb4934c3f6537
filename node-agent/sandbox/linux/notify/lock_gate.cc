#include "node-agent/sandbox/linux/notify/lock_gate.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace paddock::sandbox {
namespace {

// The kernel's numbers; not every linux/magic.h has all of them.
constexpr decltype(statfs::f_type) kNamespaces = 0x6e736673;  // one file for all in a namespace
constexpr decltype(statfs::f_type) kAnonymous = 0x09041934;   // one file for the whole host
constexpr decltype(statfs::f_flags) kReadOnly = 1;            // ST_RDONLY
// Makes the kernel run the asker's signal handler and then repeat the call, if the handler allows
// that.
constexpr int kRestart = 512;  // ERESTARTSYS

// Whether only processes that may write the file can wait for a lock on it.
bool is_its_own(const os::Fd& file) {
  struct stat info {};
  struct statfs mount {};
  if (fstat(file.get(), &info) != 0 || fstatfs(file.get(), &mount) != 0) return false;
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) return false;
  return (mount.f_flags & kReadOnly) == 0 && mount.f_type != kNamespaces &&
         mount.f_type != kAnonymous;
}

// The answer for a file that the host or other runs share. An exclusive lock is refused. So nobody
// inside can exclude others, and a shared lock is granted without taking one.
GateAnswer answer_for_others(const NotifyingThread& caller, int operation) {
  if ((operation & LOCK_EX) == 0) return {.done = true};
  return {EBADF,
          {{"system call", "flock", caller.executable(),
            "locks: a file that cannot be written here is the host's, or another run's",
            "a file in the workspace or in /tmp as the lock; or LOCK_SH"}}};
}

bool is_interrupted(const NotifyingThread& caller) {
  const auto process = caller.process();
  return process && process->interrupted;
}

}  // namespace

GateAnswer judge_lock(const NotifyingThread& caller, const seccomp_data& call,
                      const std::function<bool()>& still_asks) {
  const auto operation = static_cast<int>(call.args[1]);
  const os::Fd file = caller.descriptor(static_cast<int>(call.args[0]));
  if (!file.valid()) return {.error = errno == EBADF ? EBADF : ENOLCK};
  if (!still_asks()) return {.error = EINTR};
  if (!is_its_own(file)) return answer_for_others(caller, operation);
  if (flock(file.get(), operation | LOCK_NB) == 0) return {.done = true};
  const int error = errno;
  if (error != EWOULDBLOCK || (operation & LOCK_NB) != 0) return {.error = error};
  if (is_interrupted(caller)) return {.error = kRestart};
  return {.waits = true};
}

}  // namespace paddock::sandbox
