// Finds the files without a name that processes hold, by /proc.
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "common/os/copied_descriptor.h"
#include "common/os/fd.h"
#include "common/os/folder_use.h"
#include "common/os/linux/removed_folders.h"
#include "common/os/proc_listing.h"
#include "common/os/proc_text.h"

namespace paddock::os {
namespace {

constexpr const char* kSeenWorkspace = "root/workspace";  // in a process's folder of /proc
constexpr int64_t kFileBlock = 512;                       // of st_blocks, on every file system

std::string text_of(int folder, const char* name) {
  const Fd file(openat(folder, name, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  auto text = read_all(file.get(), size_t{1} << 20);
  return text.ok() ? std::move(*text) : std::string();
}

enum class LocalSocket { kNone, kEmpty, kHoldsFiles };

// Whether files were sent into this socket that nobody has received: they are in no table.
LocalSocket local_socket(int task, const char* socket) {
  constexpr std::string_view kCount = "scm_fds:";
  const std::string info = text_of(task, cat("fdinfo/", socket).c_str());
  const size_t at = info.find(kCount);
  if (at == std::string::npos) return LocalSocket::kNone;
  const bool some = info.find_first_of("123456789", at + kCount.size()) < info.find('\n', at);
  return some ? LocalSocket::kHoldsFiles : LocalSocket::kEmpty;
}

// Whether it has no name any more. A folder that an overlay shows of several layers has one link
// for ever: of that the kernel's text says so. A path that is too long for one may be any.
bool is_removed(int folder, const char* link, const struct stat& info) {
  if (info.st_nlink == 0) return true;
  if (!S_ISDIR(info.st_mode) || info.st_nlink > 1) return false;
  constexpr std::string_view kRemoved = " (deleted)";
  char path[4096];
  const ssize_t length = readlinkat(folder, link, path, sizeof path);
  if (length < 0) return errno == ENAMETOOLONG;
  return std::string_view(path, static_cast<size_t>(length)).ends_with(kRemoved);
}

// The kernel's value for a task under this name in its `status`; empty where it has none.
std::string status_of(int task, std::string_view name) {
  const std::string status = text_of(task, "status");
  const std::string key = cat("\n", name, ":\t");
  const size_t at = status.find(key);
  if (at == std::string::npos) return {};
  const size_t from = at + key.size();
  return status.substr(from, status.find('\n', from) - from);
}

// How many filters of system calls it has, which no program can take off: 0 where the kernel does
// not say.
int filters_of(const std::string& process) {
  const Fd folder(open(process.c_str(), kProcFolder));
  if (!folder.valid()) return 0;
  return parse_integer<int>(status_of(folder.get(), "Seccomp_filters")).value_or(0);
}

// Whether this begins like the path of a program or library of the host.
bool is_of_the_host(std::string_view path) {
  return path.starts_with("/usr/") || path.starts_with("/lib");
}

class Nameless {
 public:
  Nameless(dev_t device, int on_disk, const std::function<bool()>& over)
      : device_(device), on_disk_(on_disk), over_(over) {}
  void set_device(dev_t device) { device_ = device; }
  // Whether anything is mapped, with a name or without.
  bool add_mapped(int task) {
    const Links links = add_links(task, "map_files");
    if (links.refused) add_named_by_maps(task);
    return links.any;
  }
  // False: we may not look at them.
  bool add_open(int task, pid_t thread) {
    return !add_links(task, "fd", thread).refused || add_copies(task, thread);
  }
  // Files that a task holds without having them mapped or open: the program's own file, and its
  // working folder and root.
  void add_held(int task) {
    for (const char* link : {"exe", "cwd", "root"}) {
      struct stat info {};
      if (fstatat(task, link, &info, 0) == 0) add(task, link, info);
    }
  }
  void note_uncounted() { use_.uncounted = true; }
  // What is mapped and nowhere open is a file without a name, of which nobody says how large it is.
  NamelessUse use() const {
    NamelessUse out = use_;
    for (const ino_t file : mapped_) {
      if (seen_.contains(file)) continue;
      ++out.files;
      out.uncounted = true;
    }
    return out;
  }
  bool is_over() {
    ended_ = ended_ || (over_ && over_());
    use_.unreadable = use_.unreadable || ended_;
    return ended_;
  }

 private:
  struct Links {
    bool any = false;
    bool refused = false;  // we may not look at them
  };
  Links add_links(int folder, const char* name, pid_t thread = 0) {
    errno = 0;
    const ProcListing links = open_proc_listing(folder, name);
    Links out{.refused = !links && errno == EACCES};
    bool unseen = false;
    while (const char* link = is_over() || out.refused ? nullptr : next_entry(links)) {
      out.any = true;
      ++use_.looked_at;
      struct stat info {};
      if (fstatat(dirfd(links.get()), link, &info, 0) != 0) {
        unseen = unseen || errno == EPERM || errno == EACCES;
        continue;
      }
      if (S_ISSOCK(info.st_mode)) add_socket(folder, link, thread);
      add(dirfd(links.get()), link, info);
    }
    out.refused = out.refused || unseen;
    return out;
  }
  // Who owns the namespaces of a process that is not dumpable may look at no link of its own, but
  // is told the numbers, and given copies. False: not even that.
  bool add_copies(int task, pid_t thread) {
    const Fd process = descriptors_of(thread);
    if (!process.valid()) return errno == ESRCH;
    const ProcListing numbers = open_proc_listing(task, "fdinfo");
    bool all = bool(numbers);
    while (const char* number = is_over() || !all ? nullptr : next_entry(numbers)) {
      ++use_.looked_at;
      struct stat info {};
      const Fd copy = copied_descriptor(process, parse_integer<int>(number).value_or(-1));
      all = copy.valid() || errno == EBADF || errno == ESRCH;  // closed meanwhile
      if (!copy.valid() || fstat(copy.get(), &info) != 0) continue;
      if (S_ISSOCK(info.st_mode)) add_socket(task, number, thread);
      add(AT_FDCWD, cat("/proc/self/fd/", copy.get()).c_str(), info);
    }
    return all;
  }
  // Reads of a mapped file that may not be looked at its number, and whether it has a name. The
  // host's own programs and libraries lose theirs when they are upgraded: no run can write there.
  void add_named_by_maps(int task) {
    const int fd = openat(task, "maps", O_RDONLY | O_CLOEXEC);
    const std::unique_ptr<FILE, int (*)(FILE*)> maps(fd < 0 ? nullptr : fdopen(fd, "r"), fclose);
    if (!maps && fd >= 0) close(fd);
    std::array<char, 20'000> line{};  // a path, each byte as four, and some numbers
    while (maps && !is_over() && fgets(line.data(), line.size(), maps.get()) != nullptr) {
      ++use_.looked_at;
      unsigned device[2] = {};
      unsigned long file = 0;
      std::array<char, 8> path{};
      if (std::string_view(line.data()).ends_with(" (deleted)\n") &&
          sscanf(line.data(), "%*s %*s %*s %x:%x %lu %7s", &device[0], &device[1], &file,
                 path.data()) == 4 &&
          makedev(device[0], device[1]) == device_ && !is_of_the_host(path.data()))
        mapped_.insert(file);
    }
  }
  void add_socket(int task, const char* socket, pid_t thread) {
    const LocalSocket kind = local_socket(task, socket);
    if (kind == LocalSocket::kNone) return;
    if (kind == LocalSocket::kHoldsFiles) use_.unreadable = use_.uncounted = true;
    const Fd place = place_of_socket(thread, parse_integer<int>(socket).value_or(-1));
    struct stat info {};
    if (place.valid() && fstat(place.get(), &info) == 0)
      add(AT_FDCWD, cat("/proc/self/fd/", place.get()).c_str(), info);
  }
  void add(int folder, const char* link, const struct stat& info) {
    if (info.st_dev != device_ || !is_removed(folder, link, info) || !count(info)) return;
    add_removed_above(folder, link, info, on_disk_,
                      [this](const struct stat& above) { count(above); });
  }
  // Counts files of any type: folders keep the blocks of the names that they had, and each takes an
  // inode.
  bool count(const struct stat& info) {
    if (info.st_dev != device_ || !seen_.insert(info.st_ino).second) return false;
    use_.bytes += info.st_blocks * kFileBlock;
    ++use_.files;
    return true;
  }

  dev_t device_;
  int on_disk_;  // a folder of it
  const std::function<bool()>& over_;
  bool ended_ = false;
  std::set<ino_t> seen_;
  std::set<ino_t> mapped_;  // of which nothing but that is known
  NamelessUse use_;
};

// A thread that has ended holds nothing, and only root may list that.
bool has_ended(int task) {
  const std::string state = status_of(task, "State");
  return state.starts_with('Z') || state.starts_with('X');
}

// Whether two threads have one table of open files, as the kernel says: where it does not, no.
bool share_files(pid_t one, pid_t other) {
  return one > 0 && syscall(SYS_kcmp, one, other, KCMP_FILES, 0, 0) == 0;
}

// What the threads of a process hold. Its first one may have ended before the others: then it has
// no memory, no files and no root any more, so each is asked. A table of files that they share is
// gone through once: a server has hundreds of threads, and thousands of sockets.
// Returns false if somebody does not let us look at what it has open.
bool add_process(int process, bool layered, Nameless& nameless, std::vector<pid_t>& children) {
  bool seen_all = true;
  bool mapped = false;
  pid_t last_opened = 0;  // whose table was gone through
  const ProcListing tasks = open_proc_listing(process, "task");
  while (const char* name = nameless.is_over() ? nullptr : next_entry(tasks)) {
    // Only the folder below /proc, which is listed for the first thread alone but there for each,
    // has map_files. Opened first it is this thread's: one number is given to one task at a time.
    const Fd listed(mapped ? -1 : open(cat("/proc/", name).c_str(), kProcFolder));
    const Fd task(openat(dirfd(tasks.get()), name, kProcFolder));
    if (!task.valid()) continue;
    struct stat seen {};
    // The first processes have a root without a workspace, and no files of one.
    if (layered && fstatat(task.get(), kSeenWorkspace, &seen, 0) == 0)
      nameless.set_device(seen.st_dev);
    mapped = mapped || nameless.add_mapped(listed.get());
    nameless.add_held(task.get());
    const pid_t thread = parse_integer<pid_t>(name).value_or(0);
    if (!share_files(last_opened, thread)) {
      seen_all = (nameless.add_open(task.get(), thread) || has_ended(task.get())) && seen_all;
      last_opened = thread;
    }
    add_children(task.get(), children);
  }
  return seen_all;
}

}  // namespace

NamelessUse nameless_use(pid_t top, dev_t device, bool layered, const std::function<bool()>& over,
                         int on_disk) {
  Nameless nameless(device, on_disk, over);
  std::vector<pid_t> left = {top};
  while (!left.empty() && !nameless.is_over()) {
    const std::string path = cat("/proc/", left.back());
    left.pop_back();
    const Fd process(open(path.c_str(), kProcFolder));
    if (!process.valid() || add_process(process.get(), layered, nameless, left)) continue;
    if (filters_of(path) > filters_of(cat("/proc/", top))) nameless.note_uncounted();
  }
  return nameless.use();
}

}  // namespace paddock::os
