#include "node-agent/sandbox/linux/notify/lock_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cstring>
#include <optional>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::sandbox {
namespace {

// The kernel's numbers; not every linux/magic.h has all of them.
constexpr decltype(statfs::f_type) kNamespaces = 0x6e736673;  // one file for all in a namespace
constexpr decltype(statfs::f_type) kAnonymous = 0x09041934;   // one file for the whole host
constexpr decltype(statfs::f_flags) kReadOnly = 1;            // ST_RDONLY
// Makes the kernel run the asker's signal handler and then repeat the call, if the handler allows
// that.
constexpr int kRestart = 512;  // ERESTARTSYS

// What decides who else can lock a file.
struct FileFacts {
  struct stat info {};
  struct statfs mount {};
};

std::optional<FileFacts> facts_of(const os::Fd& file) {
  FileFacts facts;
  if (fstat(file.get(), &facts.info) != 0 || fstatfs(file.get(), &facts.mount) != 0)
    return std::nullopt;
  return facts;
}

// Whether everybody on the host can open the same file for writing.
bool is_everybodys(const std::optional<FileFacts>& facts) {
  if (!facts) return true;
  const mode_t mode = facts->info.st_mode;
  return S_ISCHR(mode) || S_ISBLK(mode) || facts->mount.f_type == kAnonymous;
}

// Whether only processes that may write the file can wait for a lock on it.
bool is_its_own(const std::optional<FileFacts>& facts) {
  return !is_everybodys(facts) && (facts->mount.f_flags & kReadOnly) == 0 &&
         facts->mount.f_type != kNamespaces;
}

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
  if (!is_its_own(facts_of(file)))
    return answer_for_others(caller, "flock", (operation & LOCK_EX) != 0);
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
  if (wanted.l_type != F_UNLCK && is_everybodys(facts_of(file)))
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
