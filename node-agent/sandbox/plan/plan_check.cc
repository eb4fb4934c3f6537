#include <algorithm>

#include "node-agent/sandbox/plan/plan_parts.h"
#include "node-agent/sandbox/plan/request_check.h"

namespace paddock::sandbox {
namespace {

Status check_mount(const std::string& host_path, const std::string& sandbox_path) {
  if (host_path.empty() || host_path[0] != '/') {
    return refuse("INVALID_MOUNT",
                  cat("the source of the mount at ", sandbox_path, " is not an absolute path"));
  }
  if (!may_be_target(sandbox_path)) {
    return refuse("INVALID_MOUNT",
                  cat("nothing can be mounted at ", sandbox_path,
                      ": it is not a clean absolute path, or the system is there"));
  }
  return {};
}

Status check_layers(const contracts::LaunchMount& mount) {
  if (mount.lower_path.empty() && mount.work_path.empty()) return {};
  const bool absolute = mount.lower_path.starts_with('/') && mount.work_path.starts_with('/');
  if (absolute && mount.mode == contracts::MountMode::kReadWrite) return {};
  return refuse("INVALID_MOUNT", cat("the layers at ", mount.sandbox_path,
                                     " are two absolute paths, and the mount is rw"));
}

Status judge(HostMountFact found, const std::string& field) {
  switch (found) {
    case HostMountFact::kThere:
      return {};
    case HostMountFact::kAbsent:
      return refuse("MOUNT_NOT_FOUND", "the node has no such folder or file", field);
    case HostMountFact::kLinked:
      return refuse("LINK_IN_MOUNT",
                    "a symbolic link is on the way; name the folder itself, as `realpath` does",
                    field);
    case HostMountFact::kHidden:
      return refuse("MOUNT_NOT_FOUND", "the node agent's user may not look there", field);
    case HostMountFact::kOther:
      return refuse("INVALID_MOUNT", "it is neither a folder nor a regular file", field);
  }
  return {};
}

}  // namespace

Status check_host_mounts(const contracts::LaunchRequest& request, const HostFacts& host) {
  if (!host.named) return {};
  const size_t known = std::min(request.policy.host_mounts.size(), host.named->host_mounts.size());
  for (size_t i = 0; i < known; ++i)
    TRY(judge(host.named->host_mounts[i], cat("hostMounts[", i, "].hostPath")));
  return {};
}

Status check_request(const contracts::LaunchRequest& request) {
  for (const auto& mount : request.mounts) {
    TRY(check_mount(mount.host_path, mount.sandbox_path));
    TRY(check_layers(mount));
  }
  for (const auto& mount : request.policy.host_mounts)
    TRY(check_mount(mount.host_path, mount.sandbox_path));
  if (request.workdir.empty() || request.workdir[0] != '/') {
    return refuse("INVALID_WORKDIR", "workdir is not an absolute path");
  }
  TRY(check_scratch(request));
  TRY(check_stdin(request));
  TRY(check_secrets(request));
  return check_command(request);
}

}  // namespace paddock::sandbox
