#include "node-agent/sandbox/linux/cgroup/cgroup_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "common/base/text.h"
#include "common/os/cgroup_paths.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"

namespace paddock::sandbox {
namespace {

void read_v1(std::string_view own_cgroups, const std::vector<os::CgroupMount>& mounts,
             CgroupFacts& facts) {
  const auto use = [&](const char* name, std::string& folder) {
    folder = os::cgroup_folder_of(name, own_cgroups, mounts);
    if (!folder.empty()) facts.version = CgroupFacts::Version::kV1;
  };
  use("memory", facts.memory);
  use("pids", facts.pids);
  use("cpuacct", facts.cpu);
  use("cpu", facts.bandwidth);
  use("freezer", facts.freezer);
}

void read_v2(std::string_view own_cgroups, const std::vector<os::CgroupMount>& mounts,
             CgroupFacts& facts) {
  std::string own;
  for (const std::string& line : split(own_cgroups, '\n')) {
    if (line.starts_with("0::")) own = line.substr(3);
  }
  // Ours are made beside the launcher's own: a folder with processes cannot hand down controllers.
  if (const size_t slash = own.rfind('/'); slash != std::string::npos && own != "/")
    own.resize(std::max<size_t>(slash, 1));
  for (const os::CgroupMount& mount : mounts) {
    if (mount.type != "cgroup2") continue;
    facts.version = CgroupFacts::Version::kV2;
    if (!facts.memory.empty()) continue;
    facts.memory = facts.pids = facts.cpu = facts.bandwidth = os::cgroup_folder(mount, own);
  }
}

void take_all(CgroupFacts& facts, std::string why_not) {
  facts.memory.clear();
  facts.pids.clear();
  facts.cpu.clear();
  facts.bandwidth.clear();
  facts.freezer.clear();
  facts.why_not = std::move(why_not);
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

bool writable(const std::string& path) {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

void keep_usable_v1(CgroupFacts& facts) {
  for (std::string* folder :
       {&facts.memory, &facts.pids, &facts.cpu, &facts.bandwidth, &facts.freezer}) {
    if (!folder->empty() && !writable(*folder)) folder->clear();
  }
  // Whether processes are inside is known by the folders of the other controllers. Not every kernel
  // bounds processor time (CFS_BANDWIDTH).
  const bool known = !facts.memory.empty() || !facts.pids.empty() || !facts.cpu.empty();
  if (!known || !exists(cat(facts.bandwidth, "/cpu.cfs_quota_us"))) facts.bandwidth.clear();
  // The root of the hierarchy has no state of its own.
  if (!known) facts.freezer.clear();
  if (!facts.memory.empty() && !facts.pids.empty()) return;
  facts.why_not = "no writable cgroup; run the agent as root, or delegate a cgroup to it";
}

std::string explain_v2(int errno_value) {
  switch (errno_value) {
    case EROFS:
      return "the cgroup file system is read-only here";
    case EBUSY:
      return "the cgroup above the agent's holds processes, so the kernel hands nothing down from "
             "it; move them to a child of it";
    case EINVAL:
      return "a process below the cgroup above the agent's has a real-time priority, so the kernel "
             "hands no processors down from it";
    case ENOENT:
      return "the controller is not handed down to the cgroup above the agent's";
    default:
      return "the cgroup above the agent's is not delegated to it; run the agent as root, or in a "
             "child of a delegated cgroup (systemd: Delegate=yes, from 254 on with "
             "DelegateSubgroup=agent)";
  }
}

// A run's folder has what its parent hands down. Returns why it does not.
std::optional<std::string> hand_down(const std::string& folder, const char* controller) {
  const auto handed_down = [&] {
    const auto text = cgroup_files::read_text(folder, "cgroup.subtree_control");
    if (!text) return false;
    const std::vector<std::string> handed = split(trim(*text), ' ');
    return std::ranges::find(handed, controller) != handed.end();
  };
  if (handed_down()) return std::nullopt;
  const os::Fd file(open(cat(folder, "/cgroup.subtree_control").c_str(), O_WRONLY | O_CLOEXEC));
  const std::string wanted = cat("+", controller);
  if (file.valid() && write(file.get(), wanted.data(), wanted.size()) > 0 && handed_down())
    return std::nullopt;
  return cat(controller, ": ", explain_v2(errno));
}

void keep_usable_v2(CgroupFacts& facts) {
  const std::string folder = facts.memory;
  if (folder.empty()) return take_all(facts, "the agent's cgroup is outside of what is mounted");
  // Starting a process in a child takes the right to move processes within the parent.
  if (!writable(folder) || !writable(cat(folder, "/cgroup.procs")))
    return take_all(facts, explain_v2(errno));
  using Place = std::tuple<const char*, std::string*, std::string*>;
  for (const auto& [controller, place, why] :
       {Place{"pids", &facts.pids, &facts.why_not}, Place{"memory", &facts.memory, &facts.why_not},
        Place{"cpu", &facts.bandwidth, &facts.why_no_bandwidth}}) {
    const auto obstacle = hand_down(folder, controller);
    if (!obstacle) continue;
    place->clear();
    *why = *obstacle;
  }
}

}  // namespace

CgroupFacts read_cgroup_facts(std::string_view own_cgroups, std::string_view mountinfo) {
  CgroupFacts facts;
  const std::vector<os::CgroupMount> mounts = os::cgroup_mounts(mountinfo);
  read_v1(own_cgroups, mounts, facts);
  if (facts.version == CgroupFacts::Version::kNone) read_v2(own_cgroups, mounts, facts);
  return facts;
}

CgroupFacts usable_cgroups(CgroupFacts facts) {
  switch (facts.version) {
    case CgroupFacts::Version::kNone:
      take_all(facts, "no cgroup file system is mounted");
      break;
    case CgroupFacts::Version::kV1:
      keep_usable_v1(facts);
      break;
    case CgroupFacts::Version::kV2:
      keep_usable_v2(facts);
      break;
  }
  return facts;
}

}  // namespace paddock::sandbox
