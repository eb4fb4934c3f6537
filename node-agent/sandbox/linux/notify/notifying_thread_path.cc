#include "node-agent/sandbox/linux/notify/notifying_thread_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

constexpr int kLook = O_PATH | O_CLOEXEC;
constexpr ino_t kTopOfProc = 1;

bool same_file(const os::Fd& a, const os::Fd& b) {
  struct stat first {
  }, second{};
  return fstat(a.get(), &first) == 0 && fstat(b.get(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool is_proc(const os::Fd& folder) {
  struct statfs info {};
  return fstatfs(folder.get(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

bool is_top_of_proc(const os::Fd& folder) {
  struct stat info {};
  return is_proc(folder) && fstat(folder.get(), &info) == 0 && info.st_ino == kTopOfProc;
}

// Resolves a path name by name, as the kernel would for the caller. openat2() cannot do this: it
// resolves for this process, whose /proc/self is another one, and it must not follow the links of
// /proc, which lead anywhere.
class Walk {
 public:
  Walk(const NotifyingThread& caller, os::Fd root, os::Fd start)
      : caller_(caller), root_(std::move(root)), at_(std::move(start)) {}

  FoundFile go(std::string_view name) {
    push(name);
    while (!rest_.empty()) {
      // Resolving a name costs us more than writing it costs the caller, so there is a bound.
      if (++steps_ > kMostSteps) return {{}, ELOOP, true};
      const std::string next = std::move(rest_.back());
      rest_.pop_back();
      if (const int error = step(next); error != 0) return {{}, error};
    }
    return {std::move(at_), 0};
  }

 private:
  static constexpr int kMostSteps = 128;

  void push(std::string_view name) {
    const std::vector<std::string> parts = split(name, '/');
    if (name.starts_with('/')) at_ = os::Fd(fcntl(root_.get(), F_DUPFD_CLOEXEC, 0));
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      if (!part->empty() && *part != ".") rest_.push_back(*part);
    }
  }

  int step(const std::string& name) {
    if (name == ".." && same_file(at_, root_)) return 0;
    os::Fd next(openat(at_.get(), name.c_str(), kLook | O_NOFOLLOW));
    struct stat info {};
    if (!next.valid() || fstat(next.get(), &info) != 0) return errno;
    if (S_ISLNK(info.st_mode)) return follow(name, next);
    at_ = std::move(next);
    return 0;
  }

  int follow(const std::string& name, const os::Fd& link) {
    if (is_top_of_proc(at_)) {
      if (name == "self" || name == "thread-self") return enter_own(name == "thread-self");
    } else if (is_proc(at_)) {
      at_ = os::Fd(openat(at_.get(), name.c_str(), kLook));
      return at_.valid() ? 0 : errno;
    }
    char text[PATH_MAX];
    const ssize_t n = readlinkat(link.get(), "", text, sizeof text);
    if (n <= 0) return n < 0 ? errno : ENOENT;
    push({text, static_cast<size_t>(n)});
    return 0;
  }

  int enter_own(bool thread) {
    const auto process = caller_.process();
    if (!process) return ESRCH;
    push(thread ? cat(process->inside, "/task/", process->thread_inside) : cat(process->inside));
    return 0;
  }

  const NotifyingThread& caller_;
  const os::Fd root_;
  os::Fd at_;
  std::vector<std::string> rest_;  // the next one last
  int steps_ = 0;
};

os::Fd open_own(const NotifyingThread& caller, const char* what) {
  return os::Fd(open(cat("/proc/", caller.thread(), "/", what).c_str(), kLook));
}

}  // namespace

FoundFile find_as(const NotifyingThread& caller, int folder, std::string_view name) {
  if (name.empty()) return {{}, ENOENT};
  os::Fd root = open_own(caller, "root");
  os::Fd start = name.starts_with('/') ? os::Fd(fcntl(root.get(), F_DUPFD_CLOEXEC, 0))
                 : folder == AT_FDCWD  ? open_own(caller, "cwd")
                                       : caller.descriptor(folder);
  if (!root.valid() || !start.valid()) return {{}, EBADF};
  // One call is enough for nearly all names.
  const uint64_t within = name.starts_with('/') ? RESOLVE_IN_ROOT : RESOLVE_BENEATH;
  os::Fd found(
      raw::openat2(start.get(), std::string(name).c_str(), kLook, within | RESOLVE_NO_MAGICLINKS));
  if (found.valid()) return {std::move(found), 0};
  return Walk(caller, std::move(root), std::move(start)).go(name);
}

}  // namespace paddock::sandbox
