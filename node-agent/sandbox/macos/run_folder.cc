#include "node-agent/sandbox/macos/run_folder.h"

#include <errno.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::sandbox {
namespace {

Result<std::string> resolve(const std::string& path, std::string_view what) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), free);
  if (real == nullptr) {
    return Error{Code::kFailedPrecondition, "MOUNT_NOT_FOUND",
                 system_error(cat("finding ", what), errno).message};
  }
  return std::string(real.get());
}

// /tmp, /var and /etc are links of the system itself.
bool is_same_place(const std::string& path, const std::string& resolved) {
  return resolved == path || resolved == cat("/private", path);
}

}  // namespace

Result<RunFolder> RunFolder::make(const std::string& parent,
                                  const contracts::SandboxPolicy& policy) {
  RunFolder out;
  ASSIGN_OR_RETURN(std::string path, resolve(parent, "the folder for runs"));
  path += "/paddock-run-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return system_error("making the run's folder", errno);
  out.path_ = std::move(path);
  TRY(os::make_dirs(os::join_path(out.path_, "tmp")));
  TRY(os::write_file_atomic(os::join_path(out.path_, "policy.json"),
                            wire::to_pretty_json(wire::encode(policy)), 0444));
  return out;
}

RunFolder::~RunFolder() {
  if (!path_.empty()) (void)os::remove_tree(path_);
}

Result<RunPaths> RunFolder::paths(const contracts::LaunchRequest& request,
                                  const std::string& confine) const {
  RunPaths out;
  out.scratch = os::join_path(path_, "tmp");
  out.policy = os::join_path(path_, "policy.json");
  ASSIGN_OR_RETURN(out.confine, resolve(confine, "paddock-confine"));
  for (const contracts::LaunchMount& mount : request.mounts) {
    ASSIGN_OR_RETURN(const std::string path,
                     resolve(mount.host_path, cat("what is mounted at ", mount.sandbox_path)));
    out.mounts.push_back(
        {path, mount.sandbox_path, mount.mode == contracts::MountMode::kReadWrite});
  }
  for (const contracts::HostMount& mount : request.policy.host_mounts) {
    ASSIGN_OR_RETURN(const std::string path,
                     resolve(mount.host_path, cat("what is mounted at ", mount.sandbox_path)));
    if (!is_same_place(mount.host_path, path)) {
      return Error{Code::kFailedPrecondition, "LINK_IN_MOUNT",
                   cat("the path of the mount at ", mount.sandbox_path, " goes through a link")};
    }
    out.mounts.push_back(
        {path, mount.sandbox_path, mount.mode == contracts::MountMode::kReadWrite});
  }
  return out;
}

}  // namespace paddock::sandbox
