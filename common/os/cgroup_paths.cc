#include "common/os/cgroup_paths.h"

#include <algorithm>
#include <optional>

#include "common/base/text.h"

namespace paddock::os {
namespace {

// One line of mountinfo: `… root point options… - type source super-options`.
std::optional<CgroupMount> parse_mount(const std::string& line) {
  const std::vector<std::string> parts = split(line, ' ');
  const auto dash = std::find(parts.begin(), parts.end(), "-");
  if (parts.size() < 10 || parts.end() - dash < 4) return std::nullopt;
  CgroupMount mount{parts[4], parts[3], dash[1], dash[3]};
  if (mount.type != "cgroup" && mount.type != "cgroup2") return std::nullopt;
  return mount;
}

bool lists(std::string_view separated, std::string_view name) {
  const std::vector<std::string> items = split(trim(separated), ',');
  return std::find(items.begin(), items.end(), name) != items.end();
}

// One line of /proc/<pid>/cgroup: `id:controllers:path`; v2's has no controllers.
struct Membership {
  std::string controllers;
  std::string path;
};
std::optional<Membership> parse_membership(const std::string& line) {
  const size_t first = line.find(':');
  const size_t second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  return Membership{line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

bool has(const CgroupMount& mount, const Membership& member, std::string_view controller) {
  if (controller.empty()) return mount.type == "cgroup2" && member.controllers.empty();
  return mount.type == "cgroup" && lists(member.controllers, controller) &&
         lists(mount.options, controller);
}

}  // namespace

std::vector<CgroupMount> cgroup_mounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  for (const std::string& line : split(mountinfo, '\n')) {
    if (auto mount = parse_mount(line)) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

std::string cgroup_folder(const CgroupMount& mount, std::string_view path) {
  if (path.find("..") != std::string_view::npos) return {};  // outside of this cgroup namespace
  if (mount.root != "/") {
    if (!path.starts_with(mount.root)) return {};
    path.remove_prefix(mount.root.size());
    if (!path.empty() && path[0] != '/') return {};  // /ab is not below /a
  }
  return path == "/" || path.empty() ? mount.point : cat(mount.point, path);
}

std::string cgroup_folder_of(std::string_view controller, std::string_view own_cgroups,
                             const std::vector<CgroupMount>& mounts) {
  for (const std::string& line : split(own_cgroups, '\n')) {
    const auto member = parse_membership(line);
    for (const CgroupMount& mount : mounts) {
      if (!member || !has(mount, *member, controller)) continue;
      if (std::string folder = cgroup_folder(mount, member->path); !folder.empty()) return folder;
    }
  }
  return {};
}

}  // namespace paddock::os
