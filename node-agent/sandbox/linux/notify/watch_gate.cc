#include "node-agent/sandbox/linux/notify/watch_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/notify/notifying_thread_path.h"
#include "node-agent/sandbox/linux/notify/whose_file.h"

namespace paddock::sandbox {
namespace {

// The kernel asks whether this process may read the file, and root may read all of them. The
// asker's own it could make readable itself.
bool may_read(const NotifyingThread& caller, const os::Fd& file) {
  const auto asking = caller.process();
  struct stat info {};
  if (!asking || fstat(file.get(), &info) != 0) return false;
  return (info.st_mode & S_IROTH) != 0 || asking->user == info.st_uid || asking->user == geteuid();
}

GateAnswer refuse(const NotifyingThread& caller) {
  return {EACCES,
          {{"system call", "inotify_add_watch", caller.executable(),
            "watches: what happens to a file that cannot be written here is the host's or another "
            "run's business",
            "a file or folder in the workspace or in /tmp; or looking again from time to time"}}};
}

}  // namespace

GateAnswer judge_watch(const NotifyingThread& caller, const seccomp_data& call,
                       const std::function<bool()>& still_asks) {
  const os::Fd watcher = caller.descriptor(static_cast<int>(call.args[0]));
  if (!watcher.valid()) return {.error = errno == EBADF ? EBADF : EACCES};
  const std::string name = caller.read_text(call.args[1], PATH_MAX);
  if (name.empty() && caller.read(call.args[1], 1).empty()) return {.error = EFAULT};
  const auto events = static_cast<uint32_t>(call.args[2]);
  const FoundFile found = find_as(caller, AT_FDCWD, name, (events & uint32_t{IN_DONT_FOLLOW}) == 0);
  if (!still_asks()) return {.error = EINTR};
  if (found.error != 0) return {.error = found.error};
  if (!is_its_own(found.file) || !may_read(caller, found.file)) return refuse(caller);
  const std::string same = cat("/proc/self/fd/", found.file.get());
  const int watch =
      inotify_add_watch(watcher.get(), same.c_str(), events & ~uint32_t{IN_DONT_FOLLOW});
  if (watch < 0) return {.error = errno};
  return {.done = true, .result = watch};
}

}  // namespace paddock::sandbox
