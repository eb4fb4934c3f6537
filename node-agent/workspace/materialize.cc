#include "node-agent/workspace/materialize.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "common/base/first_error.h"
#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::workspace {
namespace {

Status check(const contracts::Tree& tree) {
  wire::Check faults;
  tree.validate(faults);
  if (faults.ok()) return {};
  Error error{Code::kInvalidArgument, "TREE_INVALID",
              "the workspace's tree cannot be put on a disk"};
  error.causes = faults.causes();
  return error;
}

const char* name_of(const std::string& relative) {
  return relative.empty() ? "." : relative.c_str();
}

Status own(int root, const std::string& relative, std::optional<Owner> owner) {
  if (!owner) return {};
  if (::fchownat(root, name_of(relative), owner->uid, owner->gid, AT_SYMLINK_NOFOLLOW) != 0) {
    return system_error("giving a file to the run", errno);
  }
  return {};
}

constexpr timespec kTreeTimes[2] = {{kTreeTime, 0}, {kTreeTime, 0}};

Status set_time(int root, const std::string& relative) {
  if (::utimensat(root, name_of(relative), kTreeTimes, AT_SYMLINK_NOFOLLOW) == 0) return {};
  return system_error("setting a file's time", errno);
}

// Once it is another's, its mode and time are no longer ours to set (without CAP_FOWNER). A folder
// is given when nothing is put into it any more.
Status give(int root, const std::string& relative, mode_t mode, std::optional<Owner> owner) {
  if (::fchmodat(root, name_of(relative), mode, 0) != 0)
    return system_error("setting a file's mode", errno);
  TRY(set_time(root, relative));
  return own(root, relative, owner);
}

// `a`, `a/b` of `a/b/c`.
std::vector<std::string> parents_of(const std::string& path) {
  std::vector<std::string> out;
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
    out.push_back(path.substr(0, slash));
  return out;
}

// Every folder that is asked for or needed, parents first.
Folders folders_of(const contracts::Tree& tree) {
  Folders out;
  const auto add = [&](const std::string& path) {
    for (std::string& each : parents_of(path)) out.insert(std::move(each));
  };
  for (const auto& entry : tree.entries) add(entry.path);
  for (const auto& link : tree.links) add(link.path);
  for (const auto& folder : tree.folders) {
    add(folder.path);
    out.insert(folder.path);
  }
  return out;
}

Status make_folders(int root, const Folders& folders) {
  for (const std::string& each : folders) {
    if (::mkdirat(root, each.c_str(), 0755) != 0 && errno != EEXIST) {
      return system_error("making a folder of the workspace", errno);
    }
  }
  return {};
}

Status make_links(int root, const contracts::Tree& tree, std::optional<Owner> owner) {
  for (const auto& link : tree.links) {
    if (::symlinkat(link.target.c_str(), root, link.path.c_str()) != 0)
      return system_error("making a link of the workspace", errno);
    TRY(set_time(root, link.path));
    TRY(own(root, link.path, owner));
  }
  return {};
}

// The last thing: a folder that another owns is not ours to fill.
Status give_folders(int root, const Folders& folders, std::optional<Owner> owner) {
  for (const std::string& each : folders) TRY(give(root, each, 0755, owner));
  return give(root, "", 0755, owner);
}

// Files into folders that are there, which nobody else writes to. Those of one folder come one
// after the other, so that it is looked up once.
class Filler {
 public:
  Filler(int root, const cas::BlobStore& store, std::optional<Owner> owner)
      : root_(root), store_(store), owner_(owner) {}

  Status put(const contracts::TreeEntry& entry) {
    const size_t slash = entry.path.rfind('/');
    if (slash != std::string::npos) TRY(enter(entry.path.substr(0, slash)));
    const int folder = slash == std::string::npos ? root_ : folder_.get();
    const std::string name = os::base_name(entry.path);
    ASSIGN_OR_RETURN(const os::Fd from, store_.open_blob(entry.digest));
    const os::Fd to(
        ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!to.valid()) return system_error("making a file", errno);
    TRY(os::copy_contents(from.get(), to.get()));
    return give_file(to.get(), entry.executable ? 0755 : 0644);
  }

 private:
  Status enter(std::string folder) {
    if (folder_.valid() && folder == path_) return {};
    ASSIGN_OR_RETURN(folder_, os::open_beneath(root_, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    path_ = std::move(folder);
    return {};
  }
  // As give().
  Status give_file(int file, mode_t mode) const {
    if (::fchmod(file, mode) != 0) return system_error("setting a file's mode", errno);
    if (::futimens(file, kTreeTimes) != 0) return system_error("setting a file's time", errno);
    if (owner_ && ::fchown(file, owner_->uid, owner_->gid) != 0)
      return system_error("giving a file to the run", errno);
    return {};
  }

  const int root_;
  const cas::BlobStore& store_;
  const std::optional<Owner> owner_;
  std::string path_;
  os::Fd folder_;
};

// By several lanes, each some neighbours at a time.
class Filling {
 public:
  Filling(const contracts::Tree& tree, const std::function<bool()>& interrupted)
      : tree_(tree), interrupted_(interrupted) {}

  void lane(Filler filler) {
    for (size_t from = next_.fetch_add(kNeighbours);
         from < tree_.entries.size() && !first_error_.failed();
         from = next_.fetch_add(kNeighbours)) {
      first_error_.keep(put_some(filler, from));
    }
  }
  Status status() const { return first_error_.status(); }

  static constexpr size_t kNeighbours = 64;

 private:
  Status put_some(Filler& filler, size_t from) {
    const size_t end = std::min(from + kNeighbours, tree_.entries.size());
    for (size_t i = from; i < end; ++i) {
      if (interrupted_())
        return Error{Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
      const contracts::TreeEntry& entry = tree_.entries[i];
      TRY(filler.put(entry).within(cat("putting ", entry.path, " in place")));
    }
    return {};
  }

  const contracts::Tree& tree_;
  const std::function<bool()>& interrupted_;
  std::atomic<size_t> next_{0};
  FirstError first_error_;
};

Status put_files(int root, const contracts::Tree& tree, const cas::BlobStore& store,
                 std::optional<Owner> owner, const std::function<bool()>& interrupted,
                 const Parallel& parallel) {
  constexpr size_t kLanes = 4;
  Filling filling(tree, interrupted);
  const auto lane = [&] { filling.lane(Filler(root, store, owner)); };
  const size_t lanes =
      std::min(kLanes, (tree.entries.size() + Filling::kNeighbours - 1) / Filling::kNeighbours);
  if (lanes > 1 && parallel) {
    parallel(std::vector<std::function<void()>>(lanes, lane));
  } else {
    lane();
  }
  return filling.status();
}

}  // namespace

Folders free_folders(const std::vector<std::string>& wanted,
                     const std::function<bool(const std::string&)>& taken) {
  Folders out;
  for (const std::string& path : wanted) {
    std::vector<std::string> chain = parents_of(path);
    chain.push_back(path);
    if (std::ranges::none_of(chain, std::ref(taken))) out.insert(chain.begin(), chain.end());
  }
  return out;
}

std::function<bool(const std::string&)> taken_in(const contracts::Tree& tree) {
  return [&tree](const std::string& path) {
    return std::ranges::binary_search(tree.entries, path, {}, &contracts::TreeEntry::path) ||
           std::ranges::binary_search(tree.links, path, {}, &contracts::TreeLink::path);
  };
}

std::function<bool(const std::string&)> taken_below(std::string files) {
  return [files = std::move(files)](const std::string& path) {
    struct stat info = {};
    return ::lstat(os::join_path(files, path).c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
  };
}

Result<Materialized> materialize(const contracts::Tree& tree, const cas::BlobStore& store,
                                 const std::string& folder, std::optional<Owner> owner,
                                 const std::function<bool()>& interrupted, const Folders& more,
                                 const Parallel& parallel) {
  TRY(check(tree));
  TRY(os::make_dirs(folder, 0755));
  ASSIGN_OR_RETURN(const os::Fd root, os::open_root(folder));
  Folders folders = folders_of(tree);
  folders.insert(more.begin(), more.end());
  TRY(make_folders(root.get(), folders));
  Materialized done;
  TRY(put_files(root.get(), tree, store, owner, interrupted, parallel));
  for (const auto& entry : tree.entries) done.bytes += entry.size;
  done.files = std::ssize(tree.entries);
  TRY(make_links(root.get(), tree, owner));
  TRY(give_folders(root.get(), folders, owner));
  return done;
}

Status make_layer(const std::string& folder, const Folders& folders, std::optional<Owner> owner) {
  TRY(os::make_dirs(folder, 0755));
  ASSIGN_OR_RETURN(const os::Fd root, os::open_root(folder));
  TRY(make_folders(root.get(), folders));
  return give_folders(root.get(), folders, owner);
}

}  // namespace paddock::workspace
