// Whole folders: walking and removing, without recursion and without following links.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/resolve.h"

namespace paddock::os {
namespace {

constexpr int kPasses = 16;  // a writer that goes on may fill a folder again

using Dir = std::unique_ptr<DIR, int (*)(DIR*)>;

Dir list(Fd fd) {
  Dir dir(::fdopendir(fd.get()), &::closedir);
  if (dir) (void)fd.release();
  return dir;
}

// The next name, or nullptr at the end (errno 0) or at a failure.
const char* next_name(DIR* dir) {
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(dir);
    if (entry == nullptr) return nullptr;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry->d_name;
  }
}

Error removal_error(std::string_view name, int errno_value) {
  const std::string shown = to_utf8_lossy(name);
  if (errno_value == EXDEV || errno_value == EBUSY) {
    return {Code::kFailedPrecondition, "MOUNT_IN_TREE", cat(shown, " is a mount point; it stays")};
  }
  return system_error(cat("removing ", shown), errno_value);
}

// Removes a tree by emptying one folder at a time: a folder that is not empty is first moved up to
// the top. So depth costs neither stack nor descriptors, and `..` is never trusted.
class Remover {
 public:
  explicit Remover(const Fd& top) : top_(top.get()) {}

  Status run() {
    TRY(empty(top_, {}));
    while (!waiting_.empty()) {
      const std::string name = std::move(waiting_.back());
      waiting_.pop_back();
      TRY(remove_child(name));
    }
    return {};
  }

 private:
  Status remove_child(const std::string& name) {
    for (int pass = 0; pass < kPasses; ++pass) {
      if (::unlinkat(top_, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
      if (errno != ENOTEMPTY && errno != EEXIST) return removal_error(name, errno);
      ASSIGN_OR_RETURN(const Fd folder, open_folder(name));
      TRY(empty(folder.get(), name));
    }
    return removal_error(name, ENOTEMPTY);
  }

  Result<Fd> open_folder(const std::string& name) const {
    Fd folder = open_child_folder(top_, name);
    if (!folder.valid() && errno == EACCES && grant_owner(top_, name)) {
      folder = open_child_folder(top_, name);
    }
    if (!folder.valid()) return removal_error(name, errno);
    // Listing needs r, unlinking w and x: the owner may have left any of them out.
    struct stat info = {};
    if (::fstat(folder.get(), &info) == 0 && (info.st_mode & S_IRWXU) != S_IRWXU) {
      (void)::fchmod(folder.get(), 0700);
    }
    return folder;
  }

  // Unlinks what is not a folder; folders are removed, moved to the top, or, at the top, noted.
  Status empty(int folder, const std::string& name) {
    const Dir dir = list(Fd(::fcntl(folder, F_DUPFD_CLOEXEC, 0)));
    if (!dir) return removal_error(name, errno);
    ::rewinddir(dir.get());
    while (const char* child = next_name(dir.get())) TRY(remove_entry(folder, child));
    if (errno != 0) return removal_error(name, errno);
    return {};
  }

  Status remove_entry(int folder, const char* name) {
    if (::unlinkat(folder, name, 0) == 0 || errno == ENOENT) return {};
    const int failure = errno;
    if (::unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
    if (errno == ENOTDIR) return removal_error(name, failure);
    if (errno != ENOTEMPTY && errno != EEXIST) return removal_error(name, errno);
    if (folder == top_) {
      waiting_.emplace_back(name);
      return {};
    }
    return move_up(folder, name);
  }

  Status move_up(int folder, const char* name) {
    bool granted = false;
    while (true) {
      const std::string target = cat(".removing-", next_++);
      if (::renameat(folder, name, top_, target.c_str()) == 0) {
        waiting_.push_back(target);
        return {};
      }
      if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) continue;  // name taken
      // Moving a folder changes its `..`, so the folder itself must be writable.
      if (errno != EACCES || granted || !grant_owner(folder, name)) {
        return removal_error(name, errno);
      }
      granted = true;
    }
  }

  int top_;
  uint64_t next_ = 0;
  std::vector<std::string> waiting_;  // folders directly below the top
};

Result<std::vector<WalkEntry>> children(int root, const std::string& relative) {
  ASSIGN_OR_RETURN(Fd folder, open_beneath(root, relative.empty() ? "." : relative,
                                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  const Dir dir = list(std::move(folder));
  const std::string doing = cat("listing ", to_utf8_lossy(base_name(relative)));
  if (!dir) return system_error(doing, errno);
  std::vector<WalkEntry> entries;
  while (const char* name = next_name(dir.get())) {
    WalkEntry entry{join_path(relative, name), {}};
    if (::fstatat(::dirfd(dir.get()), name, &entry.stat, AT_SYMLINK_NOFOLLOW) == 0) {
      entries.push_back(std::move(entry));
    } else if (errno != ENOENT) {
      return system_error(doing, errno);
    }
  }
  if (errno != 0) return system_error(doing, errno);
  return entries;
}

constexpr size_t kMaxPath = 4095;

}  // namespace

Status remove_tree(const std::string& path) {
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? Status() : Status(removal_error(base_name(path), errno));
  }
  if (!S_ISDIR(info.st_mode)) {
    if (::unlink(path.c_str()) != 0) return removal_error(base_name(path), errno);
    return {};
  }
  // The folder itself is opened like any other child: by its name in its parent, no link followed.
  const size_t slash = path.find_last_not_of('/') == std::string::npos
                           ? std::string::npos
                           : path.find_last_of('/', path.find_last_not_of('/'));
  const std::string parent_path = slash == std::string::npos ? "."
                                  : slash == 0               ? "/"
                                                             : path.substr(0, slash);
  const std::string name = base_name(path);
  ASSIGN_OR_RETURN(const Fd parent, open_root(parent_path));
  Fd top = open_child_folder(parent.get(), name);
  if (!top.valid() && errno == EACCES && grant_owner(parent.get(), name)) {
    top = open_child_folder(parent.get(), name);
  }
  if (!top.valid()) return removal_error(name, errno);
  if ((info.st_mode & S_IRWXU) != S_IRWXU) (void)::fchmod(top.get(), 0700);
  for (int pass = 1;; ++pass) {
    TRY(Remover(top).run());
    if (::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
    if (errno != ENOTEMPTY || pass == kPasses) return removal_error(name, errno);
  }
}

Status walk(int root, const std::function<bool(const WalkEntry&)>& visit) {
  std::vector<WalkEntry> waiting;  // the next one last
  const auto descend = [&](const std::string& relative) -> Status {
    ASSIGN_OR_RETURN(std::vector<WalkEntry> entries, children(root, relative));
    std::sort(entries.begin(), entries.end(),
              [](const WalkEntry& a, const WalkEntry& b) { return a.path > b.path; });
    for (WalkEntry& entry : entries) waiting.push_back(std::move(entry));
    return {};
  };
  TRY(descend({}));
  while (!waiting.empty()) {
    const WalkEntry entry = std::move(waiting.back());
    waiting.pop_back();
    if (!visit(entry) || !S_ISDIR(entry.stat.st_mode)) continue;
    if (entry.path.size() > kMaxPath) {
      return Error{Code::kTooLarge, "TREE_TOO_DEEP", "a folder is nested too deeply to be opened"};
    }
    Status below = descend(entry.path);
    if (!below && below.error().code != Code::kNotFound) return below;  // gone meanwhile: fine
  }
  return {};
}

}  // namespace paddock::os
