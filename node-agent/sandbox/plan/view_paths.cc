#include "node-agent/sandbox/plan/view_paths.h"

#include "common/contracts/inner_paths.h"

namespace paddock::sandbox {

std::string on_host(const std::string& path, const std::vector<ResolvedMount>& mounts) {
  const ResolvedMount* best = nullptr;
  for (const ResolvedMount& mount : mounts) {
    if (!contracts::is_within(path, mount.sandbox_path)) continue;
    if (best == nullptr || mount.sandbox_path.size() > best->sandbox_path.size()) best = &mount;
  }
  return best == nullptr ? path : best->host_path + path.substr(best->sandbox_path.size());
}

}  // namespace paddock::sandbox
