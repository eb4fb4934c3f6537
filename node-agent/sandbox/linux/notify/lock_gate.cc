#include "node-agent/sandbox/linux/notify/lock_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include <cstring>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/notify/whose_file.h"

namespace paddock::sandbox {
namespace {

// Makes the kernel run the asker's signal handler and then repeat the call, if the handler allows
// that.
constexpr int kRestart = 512;  // ERESTARTSYS

// The answer for a file that the host or other runs share. An exclusive lock is refused. So nobody
// inside can exclude others, and a shared lock is granted without taking one.
GateAnswer answer_for_others(const NotifyingThread& caller, const char* name, bool exclusive) {
  if (!exclusive) return {.done = true};
  return {
      EBADF,
      {{"system call", name, caller.executable(),
        "locks: a device, or a file that cannot be written here, is the host's or another run's",
        "a file in the workspace or in /tmp as the lock; or LOCK_SH"}}};
}

// How many locks on ranges this open file has: a line each of what the kernel tells of it.
int64_t ranges_of(const os::Fd& file) {
  constexpr size_t kOfAll = 64 << 10;
  const auto text = os::read_file(cat("/proc/self/fdinfo/", file.get()), kOfAll);
  if (!text.ok()) return kMostRangesOfAFile;
  int64_t out = 0;
  for (size_t at = 0; (at = text->find("\nlock:", at)) != std::string::npos; ++at) ++out;
  return out;
}

GateAnswer refuse_more_ranges(const NotifyingThread& caller) {
  return {ENOLCK,
          {{"system call", "fcntl", caller.executable(),
            cat("locks: an open file has ", kMostRangesOfAFile, " of its own (F_OFD_SETLK)"),
            "larger ranges, or locks of the process (F_SETLK)"}}};
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
  if (!is_its_own(file)) return answer_for_others(caller, "flock", (operation & LOCK_EX) != 0);
  if (flock(file.get(), operation | LOCK_NB) == 0) return {.done = true};
  const int error = errno;
  if (error != EWOULDBLOCK || (operation & LOCK_NB) != 0) return {.error = error};
  if (is_interrupted(caller)) return {.error = kRestart};
  return {.waits = true};
}

GateAnswer judge_range_lock(const NotifyingThread& caller, const seccomp_data& call,
                            const std::function<bool()>& still_asks) {
  const os::Fd file = caller.descriptor(static_cast<int>(call.args[0]));
  if (!file.valid()) return {.error = errno == EBADF ? EBADF : ENOLCK};
  struct flock wanted {};
  const std::string bytes = caller.read(call.args[2], sizeof wanted);
  if (!still_asks()) return {.error = EINTR};
  if (bytes.size() != sizeof wanted) return {.error = EFAULT};
  std::memcpy(&wanted, bytes.data(), sizeof wanted);
  if (wanted.l_type != F_UNLCK && is_everybodys(file))
    return answer_for_others(caller, "fcntl", wanted.l_type != F_RDLCK);
  // Unlocking the middle of a range leaves two locks of one; unlocking everything does not.
  const bool gives_back = wanted.l_type == F_UNLCK;
  const bool all = wanted.l_whence == SEEK_SET && wanted.l_start == 0 && wanted.l_len == 0;
  const int64_t most = gives_back ? 2 * kMostRangesOfAFile : kMostRangesOfAFile;
  if (!(gives_back && all) && ranges_of(file) >= most) return refuse_more_ranges(caller);
  if (fcntl(file.get(), F_OFD_SETLK, &wanted) == 0) return {.done = true};
  const int error = errno;
  const bool waits = static_cast<int>(call.args[1]) == F_OFD_SETLKW;
  if (!waits || (error != EAGAIN && error != EACCES)) return {.error = error};
  if (is_interrupted(caller)) return {.error = kRestart};
  return {.waits = true};
}

}  // namespace paddock::sandbox
