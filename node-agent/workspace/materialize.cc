#include "node-agent/workspace/materialize.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>

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

Status give(int root, const std::string& relative, mode_t mode, std::optional<Owner> owner) {
  const char* name = relative.empty() ? "." : relative.c_str();
  if (::fchmodat(root, name, mode, 0) != 0) return system_error("setting a file's mode", errno);
  if (!owner) return {};
  if (::fchownat(root, name, owner->uid, owner->gid, AT_SYMLINK_NOFOLLOW) != 0) {
    return system_error("giving a file to the run", errno);
  }
  return {};
}

// Every folder that a file needs, parents first.
std::set<std::string> folders_of(const contracts::Tree& tree) {
  std::set<std::string> out;
  for (const auto& entry : tree.entries) {
    for (size_t slash = entry.path.find('/'); slash != std::string::npos;
         slash = entry.path.find('/', slash + 1)) {
      out.insert(entry.path.substr(0, slash));
    }
  }
  return out;
}

}  // namespace

Result<Materialized> materialize(const contracts::Tree& tree, const cas::BlobStore& store,
                                 const std::string& folder, std::optional<Owner> owner,
                                 const std::function<bool()>& interrupted) {
  TRY(check(tree));
  TRY(os::make_dirs(folder, 0755));
  ASSIGN_OR_RETURN(const os::Fd root, os::open_root(folder));
  TRY(give(root.get(), "", 0755, owner));
  for (const std::string& each : folders_of(tree)) {
    if (::mkdirat(root.get(), each.c_str(), 0755) != 0 && errno != EEXIST) {
      return system_error("making a folder of the workspace", errno);
    }
    TRY(give(root.get(), each, 0755, owner));
  }
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
  return done;
}

}  // namespace paddock::workspace
