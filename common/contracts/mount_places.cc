#include "common/contracts/mount_places.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/contracts/inner_paths.h"

namespace paddock::contracts {
namespace {

constexpr std::array<std::string_view, 12> kSystem = {"/bin", "/boot", "/dev", "/etc",
                                                      "/lib", "/proc", "/run", "/sbin",
                                                      "/sys", "/tmp",  "/usr", "/var"};

}  // namespace

bool is_system_place(std::string_view sandbox_path) {
  return std::ranges::any_of(kSystem, [&](std::string_view folder) {
    // /lib64 and the like belong to the system too.
    return is_within(sandbox_path, folder) ||
           (folder == "/lib" && sandbox_path.starts_with(folder));
  });
}

std::string system_place_fault(std::string_view sandbox_path) {
  return cat("nothing can be mounted at ", sandbox_path,
             ": the system is there; choose another place, such as /data");
}

Status check_mount_places(const SandboxPolicy& effective) {
  Error error{Code::kInvalidArgument, "INVALID_MOUNT", ""};
  for (size_t i = 0; i < effective.host_mounts.size(); ++i) {
    const std::string& place = effective.host_mounts[i].sandbox_path;
    if (!is_system_place(place)) continue;
    error.causes.push_back({cat("hostMounts[", i, "].sandboxPath"), system_place_fault(place)});
  }
  if (error.causes.empty()) return {};
  error.message = cat(error.causes[0].field, ": ", error.causes[0].message);
  return error;
}

}  // namespace paddock::contracts
