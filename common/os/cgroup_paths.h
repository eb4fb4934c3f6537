// Where the folder of a cgroup is, from the texts of /proc/<pid>/cgroup and /proc/<pid>/mountinfo.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::os {

struct CgroupMount {
  std::string point;
  std::string root;     // the cgroup that is seen there
  std::string type;     // cgroup or cgroup2
  std::string options;  // of v1: its controllers, by commas
};
std::vector<CgroupMount> cgroup_mounts(std::string_view mountinfo);

// The folder of the cgroup `path`, as /proc/<pid>/cgroup names it; empty if this mount has it not.
std::string cgroup_folder(const CgroupMount& mount, std::string_view path);

// The folder of the v1 controller of this name; of v2, where `controller` is empty.
std::string cgroup_folder_of(std::string_view controller, std::string_view own_cgroups,
                             const std::vector<CgroupMount>& mounts);

}  // namespace paddock::os
