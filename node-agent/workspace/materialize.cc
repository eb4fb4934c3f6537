#include "node-agent/workspace/materialize.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

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

Status set_time(int root, const std::string& relative) {
  const timespec times[2] = {{kTreeTime, 0}, {kTreeTime, 0}};
  if (::utimensat(root, name_of(relative), times, AT_SYMLINK_NOFOLLOW) == 0) return {};
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
                                 const std::function<bool()>& interrupted, const Folders& more) {
  TRY(check(tree));
  TRY(os::make_dirs(folder, 0755));
  ASSIGN_OR_RETURN(const os::Fd root, os::open_root(folder));
  Folders folders = folders_of(tree);
  folders.insert(more.begin(), more.end());
  TRY(make_folders(root.get(), folders));
  Materialized done;
  for (const auto& entry : tree.entries) {
    if (interrupted()) return Error{Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
    const mode_t mode = entry.executable ? 0755 : 0644;
    TRY(store.materialize(entry.digest, root.get(), entry.path, mode)
            .within(cat("putting ", entry.path, " in place")));
    TRY(give(root.get(), entry.path, mode, owner));
    ++done.files;
    done.bytes += entry.size;
  }
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
