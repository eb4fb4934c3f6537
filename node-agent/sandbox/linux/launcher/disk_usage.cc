#include "node-agent/sandbox/linux/launcher/disk_usage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/os/fd.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kDeepest = 200;                          // one descriptor per level
constexpr const char* kSeenWorkspace = "root/workspace";  // in a process's folder of /proc
constexpr int64_t kBlock = 512;                           // of st_blocks, on every file system
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

Folder open_folder(int parent, const char* name) {
  const int fd = openat(parent, name, kFolder);
  DIR* folder = fd < 0 ? nullptr : fdopendir(fd);
  if (folder == nullptr && fd >= 0) close(fd);
  return {folder, closedir};
}

// The next name but . and ..; nothing at the end.
const char* next_name(const Folder& folder) {
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry->d_name;
  }
  return nullptr;
}

class Count {
 public:
  Count(dev_t device, bool layered) : device_(device), layered_(layered) {}
  // Whether it is a folder to look into.
  bool add(const struct stat& info) {
    if (info.st_dev != device_) return false;
    if (layered_ && S_ISCHR(info.st_mode) && info.st_rdev == 0) return false;
    ++use_.files;
    const bool folder = S_ISDIR(info.st_mode);
    // A file with several names takes its blocks once.
    if (folder || info.st_nlink == 1 || linked_.insert(info.st_ino).second)
      use_.bytes += info.st_blocks * kBlock;
    return folder;
  }
  void add_unreadable() { use_.unreadable = true; }
  const DiskUse& use() const { return use_; }

 private:
  dev_t device_;
  bool layered_;
  DiskUse use_;
  std::set<ino_t> linked_;
};

// Sums what the links of one folder of /proc lead to.
class Nameless {
 public:
  explicit Nameless(dev_t device) : device_(device) {}
  void set_device(dev_t device) { device_ = device; }
  void add_links(int process, const char* name) {
    const Folder links = open_folder(process, name);
    while (const char* link = links ? next_name(links) : nullptr) {
      struct stat info {};
      if (fstatat(dirfd(links.get()), link, &info, 0) != 0) continue;
      if (info.st_nlink > 0 || info.st_dev != device_ || !S_ISREG(info.st_mode)) continue;
      if (seen_.insert(info.st_ino).second) bytes_ += info.st_blocks * kBlock;
    }
  }
  int64_t bytes() const { return bytes_; }

 private:
  dev_t device_;
  std::set<ino_t> seen_;
  int64_t bytes_ = 0;
};

void add_children(int task, std::vector<pid_t>& out) {
  const os::Fd file(openat(task, "children", O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return;
  const auto text = os::read_all(file.get(), size_t{1} << 20);
  for (const std::string& word : split(text.ok() ? *text : "", ' ')) {
    if (const auto pid = parse_integer<pid_t>(word)) out.push_back(*pid);
  }
}

}  // namespace

Result<DiskUse> folder_use(int folder, int64_t most_files, bool layered) {
  struct stat root {};
  if (fstat(folder, &root) != 0) return system_error("measuring the workspace", errno);
  Count count(root.st_dev, layered);
  std::vector<Folder> open;
  open.push_back(open_folder(folder, "."));
  if (!open.back()) return system_error("measuring the workspace", errno);
  while (!open.empty() && count.use().files <= most_files) {
    const char* name = next_name(open.back());
    if (name == nullptr) {
      open.pop_back();
      continue;
    }
    struct stat info {};
    const int here = dirfd(open.back().get());
    if (fstatat(here, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !count.add(info)) continue;
    if (open.size() == kDeepest) {
      return Error{Code::kTooLarge, "TREE_TOO_DEEP",
                   cat("the workspace has folders more than ", kDeepest, " deep")};
    }
    Folder below = open_folder(here, name);
    if (below) {
      open.push_back(std::move(below));
    } else if (errno == EACCES) {
      count.add_unreadable();
    }
  }
  return count.use();
}

int64_t nameless_bytes(pid_t init, dev_t device, bool layered) {
  Nameless nameless(device);
  std::vector<pid_t> left = {init};
  while (!left.empty()) {
    const std::string path = cat("/proc/", left.back());
    left.pop_back();
    const os::Fd process(open(path.c_str(), kFolder));
    if (!process.valid()) continue;
    struct stat seen {};
    // The first process has a root without a workspace, and no files of one.
    if (layered && fstatat(process.get(), kSeenWorkspace, &seen, 0) == 0)
      nameless.set_device(seen.st_dev);
    nameless.add_links(process.get(), "map_files");
    const Folder tasks = open_folder(process.get(), "task");
    while (const char* name = tasks ? next_name(tasks) : nullptr) {
      const os::Fd task(openat(dirfd(tasks.get()), name, kFolder));
      if (!task.valid()) continue;
      nameless.add_links(task.get(), "fd");  // a thread may have a table of its own
      add_children(task.get(), left);
    }
  }
  return nameless.bytes();
}

}  // namespace paddock::sandbox
