// Whole folders: walking and removing, without recursion and without following links.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/resolve.h"

namespace paddock::os {
namespace {

constexpr int kPasses = 16;  // a writer that goes on may fill a folder again
// How many folders a removal remembers at most; whoever filled the tree chose how many there are.
constexpr size_t kMostWaiting = 512;

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
    do {
      more_moved_up_ = false;
      TRY(empty(top_, {}));
    } while (more_moved_up_);
    return {};
  }

 private:
  // A folder of the top, and all that was moved up from it.
  Status remove_with_all_below(const char* name) {
    TRY(remove_child(name));
    while (!waiting_.empty()) {
      const std::string next = std::move(waiting_.back());
      waiting_.pop_back();
      TRY(remove_child(next));
    }
    return {};
  }

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

  // Unlinks what is not a folder; folders are removed, or moved to the top, or, at the top,
  // emptied.
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
    return folder == top_ ? remove_with_all_below(name) : move_up(folder, name);
  }

  Status move_up(int folder, const char* name) {
    bool granted = false;
    while (true) {
      const std::string target = cat(".removing-", next_++);
      if (::renameat(folder, name, top_, target.c_str()) == 0) {
        if (waiting_.size() < kMostWaiting)
          waiting_.push_back(target);
        else
          more_moved_up_ = true;  // the next listing of the top finds it
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
  bool more_moved_up_ = false;
};

constexpr size_t kMaxPath = 4095;
constexpr int64_t kCostOfAName = 64;  // beside its bytes: what keeps it, and where
constexpr int64_t kNamesBetweenQuestions = 1024;

// Keeps the names of the folders on the way to where it is, and looks at each file when it comes to
// it.
class Walker {
 public:
  Walker(int root, const std::function<bool(const WalkEntry&)>& visit, const WalkBounds& bounds)
      : root_(root), visit_(visit), bounds_(bounds) {}

  Result<int64_t> run() {
    TRY(enter({}));
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.names.empty()) {
        leave();
        continue;
      }
      WalkEntry entry{join_path(level.path, level.names.back()), {}};
      ASSIGN_OR_RETURN(const bool there, look_at(level, entry.stat));
      if (!there) continue;
      if (interrupted()) break;
      forget_last(level);
      if (visit_(entry) && S_ISDIR(entry.stat.st_mode)) TRY(descend(entry.path));
    }
    return passed_over_;
  }

 private:
  struct Level {
    std::string path;
    std::vector<std::string> names;  // the next one last
  };

  bool interrupted() const { return bounds_.interrupted && bounds_.interrupted(); }

  void forget_last(Level& level) {
    kept_ -= cost(level.names.back());
    level.names.pop_back();
  }

  void leave() {
    for (const std::string& name : levels_.back().names) kept_ -= cost(name);
    levels_.pop_back();
    here_.reset();
  }

  static int64_t cost(std::string_view name) {
    return static_cast<int64_t>(name.size()) + kCostOfAName;
  }

  Result<Dir> open(const std::string& relative) const {
    ASSIGN_OR_RETURN(Fd folder, open_beneath(root_, relative.empty() ? "." : relative,
                                             O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    Dir out = list(std::move(folder));
    if (!out) return system_error(listing(relative), errno);
    return out;
  }

  // Looks at the level's next name. False: that name has gone, or its whole folder has.
  Result<bool> look_at(Level& level, struct stat& info) {
    if (!here_) {
      auto again = open(level.path);
      if (!again && again.error().code != Code::kNotFound) return std::move(again).error();
      if (!again) {
        leave();
        return false;
      }
      here_ = std::move(*again);
    }
    if (::fstatat(::dirfd(here_.get()), level.names.back().c_str(), &info, AT_SYMLINK_NOFOLLOW) ==
        0)
      return true;
    if (errno != ENOENT) return system_error(listing(level.path), errno);
    forget_last(level);
    return false;
  }

  Status descend(const std::string& path) {
    if (path.size() > kMaxPath) {
      return Error{Code::kTooLarge, "TREE_TOO_DEEP", "a folder is nested too deeply to be opened"};
    }
    Status below = enter(path);
    if (!below && below.error().code != Code::kNotFound) return below;  // gone meanwhile: fine
    return {};
  }

  Status enter(const std::string& path) {
    ASSIGN_OR_RETURN(here_, open(path));
    levels_.push_back({path, {}});
    TRY(read_names(levels_.back()));
    std::sort(levels_.back().names.begin(), levels_.back().names.end(), std::greater<>());
    return {};
  }

  Status read_names(Level& level) {
    const int64_t most = kept_ + (bounds_.kept_bytes - kept_) / 2;
    int64_t read = 0;
    while (const char* name = next_name(here_.get())) {
      if (++read % kNamesBetweenQuestions == 0 && interrupted()) return {};
      if (kept_ + cost(name) > most) {
        ++passed_over_;
        continue;
      }
      kept_ += cost(name);
      level.names.emplace_back(name);
    }
    return errno == 0 ? Status() : Status(system_error(listing(level.path), errno));
  }

  static std::string listing(const std::string& path) {
    return cat("listing ", to_utf8_lossy(base_name(path)));
  }

  const int root_;
  const std::function<bool(const WalkEntry&)>& visit_;
  const WalkBounds& bounds_;
  std::vector<Level> levels_;
  Dir here_{nullptr, &::closedir};  // the last level's folder; none: it was not opened again
  int64_t kept_ = 0;
  int64_t passed_over_ = 0;
};

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
  ASSIGN_OR_RETURN(const Fd parent, open_root(parent_path));
  return remove_folder(parent.get(), base_name(path));
}

Status remove_folder(int parent, const std::string& name) {
  Fd top = open_child_folder(parent, name);
  if (!top.valid() && errno == EACCES && grant_owner(parent, name)) {
    top = open_child_folder(parent, name);
  }
  if (!top.valid()) return errno == ENOENT ? Status() : Status(removal_error(name, errno));
  struct stat info = {};
  if (::fstat(top.get(), &info) == 0 && (info.st_mode & S_IRWXU) != S_IRWXU)
    (void)::fchmod(top.get(), 0700);
  for (int pass = 1;; ++pass) {
    TRY(Remover(top).run());
    if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
    if (errno != ENOTEMPTY || pass == kPasses) return removal_error(name, errno);
  }
}

Result<int64_t> walk(int root, const std::function<bool(const WalkEntry&)>& visit,
                     const WalkBounds& bounds) {
  return Walker(root, visit, bounds).run();
}

}  // namespace paddock::os
