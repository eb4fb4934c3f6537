#include "node-agent/sandbox/linux/facts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/etc_files.h"

namespace paddock::sandbox {
namespace {

constexpr std::array kSystemPaths = {"/usr",   "/bin",   "/sbin",  "/lib",
                                     "/lib32", "/lib64", "/libx32"};

Result<std::string> read_proc(const char* path) {
  const os::Fd file(open(path, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return system_error("reading the host's facts", errno);
  return os::read_all(file.get(), size_t{4} << 20);
}

bool has_capabilities(std::initializer_list<int> wanted) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  return std::all_of(wanted.begin(), wanted.end(), [&](int capability) {
    return (data[capability / 32].effective & (1u << (capability % 32))) != 0;
  });
}

uint64_t hard_limit(__rlimit_resource resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_max : 0;
}

std::string link_target(const std::string& path) {
  char text[4096];
  const ssize_t n = readlink(path.c_str(), text, sizeof text);
  return n > 0 ? std::string(text, static_cast<size_t>(n)) : std::string();
}

// Adds `path` if it exists. A link is shown as a link only if it stays within what is shown.
void add_if_present(const std::string& path, std::vector<SystemEntry>& out) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return;
  if (!S_ISLNK(info.st_mode)) {
    out.push_back({path, ""});
    return;
  }
  const std::string target = link_target(path);
  const bool below_usr =
      target.starts_with("usr/") || target.starts_with("/usr/") || target.starts_with("../usr/");
  if (below_usr && target.find("/../") == std::string::npos) out.push_back({path, target});
}

std::vector<SystemEntry> find_etc() {
  std::vector<SystemEntry> out;
  for (const std::string& path : shared_etc_paths()) add_if_present(path, out);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/etc"), closedir);
  std::vector<std::string> names;
  while (folder != nullptr) {
    const dirent* entry = readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    for (const std::string& prefix : shared_etc_prefixes()) {
      if (name.starts_with(prefix)) names.push_back(cat("/etc/", name));
    }
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) add_if_present(name, out);
  return out;
}

struct CgroupMount {
  std::string point;
  std::string root;
  std::string type;
  std::string options;
};

// One line of mountinfo: `… root point options… - type source super-options`.
std::optional<CgroupMount> parse_mount(const std::string& line) {
  const std::vector<std::string> parts = split(line, ' ');
  const auto dash = std::find(parts.begin(), parts.end(), "-");
  if (parts.size() < 10 || parts.end() - dash < 4) return std::nullopt;
  CgroupMount mount{parts[4], parts[3], dash[1], dash[3]};
  if (mount.type != "cgroup" && mount.type != "cgroup2") return std::nullopt;
  return mount;
}

std::string folder_of(const CgroupMount& mount, std::string_view own) {
  if (own.find("..") != std::string_view::npos) return {};  // outside of this cgroup namespace
  if (mount.root != "/") {
    if (!own.starts_with(mount.root)) return {};
    own.remove_prefix(mount.root.size());
  }
  return own == "/" || own.empty() ? mount.point : cat(mount.point, own);
}

bool lists(std::string_view comma_separated, std::string_view name) {
  const std::vector<std::string> items = split(comma_separated, ',');
  return std::find(items.begin(), items.end(), name) != items.end();
}

// What the kernel does not let us use is not there.
void keep_writable(CgroupFacts& facts) {
  const auto check = [](std::string& folder) {
    if (!folder.empty() && faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0)
      folder.clear();
  };
  check(facts.memory);
  check(facts.pids);
  check(facts.cpu);
  if (facts.memory.empty() || facts.pids.empty()) {
    facts.why_not =
        "no writable cgroup; run the agent as root, or delegate a cgroup to it (systemd: "
        "Delegate=yes)";
  }
}

// v2: controllers must be handed down by the folder in which ours are made.
void keep_delegated(CgroupFacts& facts) {
  if (facts.version != CgroupFacts::Version::kV2 || facts.memory.empty()) return;
  const std::string control = cat(facts.memory, "/cgroup.subtree_control");
  const os::Fd file(open(control.c_str(), O_RDWR | O_CLOEXEC));
  std::string controllers;
  if (file.valid()) {
    (void)os::write_all(file.get(), "+memory +pids");  // fine if they were there before
    if (auto text = os::read_all(file.get(), 4096); text.ok()) controllers = *text;
  }
  const std::vector<std::string> names = split(trim(controllers), ' ');
  const auto missing = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) == names.end();
  };
  if (missing("memory")) facts.memory.clear();
  if (missing("pids")) facts.pids.clear();
}

}  // namespace

CgroupFacts read_cgroup_facts(std::string_view own_cgroups, std::string_view mountinfo) {
  CgroupFacts facts;
  std::vector<CgroupMount> mounts;
  for (const std::string& line : split(mountinfo, '\n')) {
    if (auto mount = parse_mount(line)) mounts.push_back(std::move(*mount));
  }
  for (const std::string& line : split(own_cgroups, '\n')) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string own = line.substr(second + 1);
    for (const CgroupMount& mount : mounts) {
      const auto use = [&](const char* name, std::string& folder) {
        if (mount.type != "cgroup" || !lists(controllers, name) || !lists(mount.options, name))
          return;
        folder = folder_of(mount, own);
        facts.version = CgroupFacts::Version::kV1;
      };
      use("memory", facts.memory);
      use("pids", facts.pids);
      use("cpuacct", facts.cpu);
    }
  }
  if (facts.version == CgroupFacts::Version::kV1) return facts;
  for (const CgroupMount& mount : mounts) {
    if (mount.type != "cgroup2") continue;
    std::string own;
    for (const std::string& line : split(own_cgroups, '\n')) {
      if (line.starts_with("0::")) own = line.substr(3);
    }
    // Ours are made beside the launcher's own: a folder with processes cannot hand down
    // controllers.
    if (const size_t slash = own.rfind('/'); slash != std::string::npos && own != "/")
      own.resize(std::max<size_t>(slash, 1));
    facts.version = CgroupFacts::Version::kV2;
    facts.memory = facts.pids = facts.cpu = folder_of(mount, own);
  }
  return facts;
}

Result<HostFacts> gather_facts() {
  HostFacts facts;
  facts.uid = geteuid();
  facts.gid = getegid();
  facts.privileged =
      facts.uid == 0 && has_capabilities({CAP_SYS_ADMIN, CAP_SETUID, CAP_SETGID, CAP_SYS_CHROOT});
  utsname names{};
  uname(&names);
  if (std::sscanf(names.release, "%d.%d", &facts.kernel_major, &facts.kernel_minor) != 2) {
    return system_error("reading the kernel's version", EINVAL);
  }
  facts.hard_open_files = hard_limit(RLIMIT_NOFILE);
  facts.hard_file_size = hard_limit(RLIMIT_FSIZE);
  facts.hard_address_space = hard_limit(RLIMIT_AS);
  for (const char* path : kSystemPaths) add_if_present(path, facts.system);
  facts.etc = find_etc();
  ASSIGN_OR_RETURN(const std::string own, read_proc("/proc/self/cgroup"));
  ASSIGN_OR_RETURN(const std::string mounts, read_proc("/proc/self/mountinfo"));
  facts.cgroup = read_cgroup_facts(own, mounts);
  keep_delegated(facts.cgroup);
  keep_writable(facts.cgroup);
  return facts;
}

}  // namespace paddock::sandbox
