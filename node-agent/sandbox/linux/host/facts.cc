#include "node-agent/sandbox/linux/host/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "common/base/text.h"
#include "common/contracts/etc_names.h"
#include "common/contracts/inner_paths.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/cgroup/cgroup_facts.h"
#include "node-agent/sandbox/linux/host/own_limits.h"
#include "node-agent/sandbox/linux/kernel/landlock.h"
#include "node-agent/sandbox/linux/kernel/machine.h"
#include "node-agent/sandbox/plan/etc_files.h"

namespace paddock::sandbox {
namespace {

constexpr std::array kSystemPaths = {"/usr",   "/bin",   "/sbin",   "/lib",
                                     "/lib32", "/lib64", "/libx32", "/opt/sandbox"};

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

// A link into one of these folders is shown as a link. If its target is not shown, it leads
// nowhere.
constexpr std::array kShownFolders = {"usr/", "/usr/", "../usr/", "/etc/alternatives/"};

// Adds `path` if it exists. A link is shown as a link only if it stays within what is shown.
void add_if_present(const std::string& path, std::vector<SystemEntry>& out) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return;
  if (!S_ISLNK(info.st_mode)) {
    out.push_back({path, ""});
    return;
  }
  const std::string target = link_target(path);
  const bool shown = std::ranges::any_of(
      kShownFolders, [&](const char* folder) { return target.starts_with(folder); });
  if (shown && target.find("/../") == std::string::npos) out.push_back({path, target});
}

std::vector<std::string> names_matching(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> out;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  std::ranges::sort(out);
  return out;
}

// The operator's additions: files and folders of /etc itself, through no link, and nothing twice.
// An entry that cannot be shown is left out like one that does not exist.
void add_operators_etc(std::vector<SystemEntry>& out) {
  const char* names = std::getenv(contracts::kEtcVariable);
  const auto etc = os::open_root("/etc");
  if (names == nullptr || !etc) return;
  for (const std::string& name : split(names, ',')) {
    if (!contracts::etc_name_fault(name).empty()) continue;
    const std::string path = cat("/etc/", name);
    const auto shown = [&](const SystemEntry& each) {
      return contracts::is_within(path, each.path);
    };
    struct stat info {};
    const auto found = os::open_beneath(etc->get(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (!found || fstat(found->get(), &info) != 0 || std::ranges::any_of(out, shown)) continue;
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) continue;
    std::erase_if(out, [&](const auto& each) { return contracts::is_within(each.path, path); });
    out.push_back({path, ""});
  }
}

void add_matching(const char* folder, const std::vector<std::string>& patterns,
                  std::vector<SystemEntry>& out) {
  for (const std::string& pattern : patterns) {
    for (const std::string& path : names_matching(cat(folder, pattern))) add_if_present(path, out);
  }
}

std::vector<SystemEntry> find_data() {
  std::vector<SystemEntry> out;
  add_matching("/etc/", shared_etc_patterns(), out);
  add_matching("/var/", shared_var_patterns(), out);
  add_operators_etc(out);
  return out;
}

// The device is recognised by its number: in a container's /dev anything may have its name.
bool has_tty_device() {
  constexpr unsigned kMajor = 5;
  struct stat info {};
  return lstat(kTtyDevice, &info) == 0 && S_ISCHR(info.st_mode) &&
         info.st_rdev == makedev(kMajor, 0);
}

// Looks for the locale's name in the archive, at whose beginning the names are.
bool archive_names(const std::string& archive, std::string_view locale) {
  constexpr size_t kFirstBytes = size_t{1} << 20;
  const os::Fd file(open(archive.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes(file.valid() ? kFirstBytes : 0, '\0');
  const ssize_t n = file.valid() ? read(file.get(), bytes.data(), bytes.size()) : 0;
  return n > 0 && bytes.substr(0, static_cast<size_t>(n)).find(locale) != std::string::npos;
}

std::vector<std::string> find_locales() {
  const std::string folder = kLocales;
  const auto exists = [&](const char* name) {
    return access(cat(folder, name).c_str(), F_OK) == 0;
  };
  if (!exists(kNeutralLocale) || exists(kNamedLocale) || exists("en_US.UTF-8") ||
      archive_names(cat(folder, "locale-archive"), kNamedLocale))
    return {};
  return names_matching(cat(folder, "*"));
}

}  // namespace

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
  facts.landlock = landlock_version();
  facts.hard_open_files = open_files_for_commands(hard_limit(RLIMIT_NOFILE));
  facts.hard_file_size = hard_limit(RLIMIT_FSIZE);
  facts.hard_address_space = hard_limit(RLIMIT_AS);
  facts.hard_data = hard_limit(RLIMIT_DATA);
  for (const char* path : kSystemPaths) add_if_present(path, facts.system);
  facts.etc = find_data();
  facts.tty_device = has_tty_device();
  facts.locales = find_locales();
  facts.machine = std::make_shared<const MachineFacts>(look_at_machine());
  ASSIGN_OR_RETURN(const std::string own, read_proc("/proc/self/cgroup"));
  ASSIGN_OR_RETURN(const std::string mounts, read_proc("/proc/self/mountinfo"));
  facts.cgroup = usable_cgroups(read_cgroup_facts(own, mounts));
  return facts;
}

}  // namespace paddock::sandbox
