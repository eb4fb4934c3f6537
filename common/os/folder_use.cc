#include "common/os/folder_use.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "common/os/file_times.h"
#include "common/os/resolve.h"

namespace paddock::os {
namespace {

constexpr int64_t kBlock = 512;  // of st_blocks, on every file system
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

Folder open_folder(int parent, const char* name, bool open_closed) {
  int fd = openat(parent, name, kFolder);
  if (fd < 0 && errno == EACCES && open_closed && grant_owner(parent, name))
    fd = openat(parent, name, kFolder);
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

// Names can be listed with r, and looked at with x only.
bool look_at(int folder, const char* name, struct stat& info, bool open_closed) {
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0) return true;
  return errno == EACCES && open_closed && fchmod(folder, S_IRWXU) == 0 &&
         fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

// Removed meanwhile, or something else by now.
bool is_gone(int why) { return why == ENOENT || why == ENOTDIR || why == ELOOP; }

class Count {
 public:
  Count(dev_t device, const FolderCount& how) : device_(device), how_(how) {}
  // Whether it is a folder to look into.
  bool add(const struct stat& info) {
    if (info.st_dev != device_) return false;
    if (how_.layered && S_ISCHR(info.st_mode) && info.st_rdev == 0) return false;
    const bool folder = S_ISDIR(info.st_mode);
    if (++seen_ > how_.most_names) use_.cut_off = true;
    if (!is_new(info)) return folder;
    ++use_.files;
    // A file with several names takes its blocks once.
    if (folder || info.st_nlink == 1 || linked_.insert(info.st_ino).second)
      use_.bytes += info.st_blocks * kBlock;
    return folder;
  }
  void add_unreadable() { use_.unreadable = true; }
  void look_at_time() {
    if (how_.over && how_.over()) use_.cut_off = true;
  }
  const FolderUse& use() const { return use_; }

 private:
  bool is_new(const struct stat& info) const {
    const timespec& at = changed_at(info);
    return how_.since_ns == 0 || int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec > how_.since_ns;
  }

  dev_t device_;
  FolderCount how_;
  FolderUse use_;
  int64_t seen_ = 0;
  std::set<ino_t> linked_;
};

}  // namespace

Result<FolderUse> folder_use(int folder, const FolderCount& how) {
  struct stat root {};
  if (fstat(folder, &root) != 0) return system_error("measuring the workspace", errno);
  Count count(root.st_dev, how);
  std::vector<Folder> open;
  open.push_back(open_folder(folder, ".", how.open_closed));
  if (!open.back()) return system_error("measuring the workspace", errno);
  while (!open.empty() && !count.use().cut_off) {
    const char* name = next_name(open.back());
    if (name == nullptr) {
      open.pop_back();
      continue;
    }
    count.look_at_time();
    struct stat info {};
    const int here = dirfd(open.back().get());
    if (!look_at(here, name, info, how.open_closed)) {
      if (!is_gone(errno)) count.add_unreadable();
      continue;
    }
    if (!count.add(info)) continue;
    if (open.size() == kDeepestFolder) {
      return Error{Code::kTooLarge, "TREE_TOO_DEEP",
                   cat("the workspace has folders more than ", kDeepestFolder, " deep")};
    }
    Folder below = open_folder(here, name, how.open_closed);
    if (below) {
      open.push_back(std::move(below));
    } else if (!is_gone(errno)) {
      count.add_unreadable();
    }
  }
  return count.use();
}

namespace {

FolderUse named_use(int folder, const FolderCount& how) {
  const auto use = folder_use(folder, how);
  return use.ok() ? *use : FolderUse{.unreadable = true};
}

NamelessUse nameless_of_all(const std::vector<pid_t>& tops, int folder, dev_t device,
                            const FolderCount& how) {
  NamelessUse out;
  for (const pid_t top : tops) {
    const NamelessUse one = nameless_use(top, device, how.layered, how.over, folder);
    out.bytes += one.bytes;
    out.files += one.files;
    out.unreadable = out.unreadable || one.unreadable;
  }
  return out;
}

}  // namespace

void pause_between_looks() { ::usleep(5'000); }

FolderUse whole_use(int folder, const std::vector<pid_t>& tops, const FolderCount& how,
                    const std::function<void()>& pause) {
  struct stat root {};
  if (fstat(folder, &root) != 0) return {.unreadable = true};
  FolderUse out = named_use(folder, how);
  if (out.unreadable && !out.cut_off) out = named_use(folder, how);
  NamelessUse nameless = nameless_of_all(tops, folder, root.st_dev, how);
  const auto may_look_again = [&] { return !out.unreadable && !(how.over && how.over()); };
  for (int looks = 1; looks < kLooks && nameless.unreadable && may_look_again(); ++looks) {
    pause();
    nameless = nameless_of_all(tops, folder, root.st_dev, how);
  }
  out.bytes += nameless.bytes;
  out.files += nameless.files;
  out.unreadable = out.unreadable || nameless.unreadable;
  return out;
}

}  // namespace paddock::os
