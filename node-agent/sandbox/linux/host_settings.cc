// The settings of this host that are known to weaken or prevent a sandbox.
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/canary_launches.h"
#include "node-agent/sandbox/linux/facts.h"

namespace paddock::sandbox {
namespace {

std::optional<int64_t> setting(const char* path) {
  const auto text = os::read_file(path, 64);
  return text.ok() ? parse_integer<int64_t>(trim(*text)) : std::nullopt;
}

}  // namespace

HostSettings read_host_settings() {
  HostSettings out;
  out.root = geteuid() == 0;
  out.container = os::exists("/.dockerenv") || os::exists("/run/.containerenv");
  out.max_user_namespaces = setting("/proc/sys/user/max_user_namespaces");
  out.unprivileged_userns_clone = setting("/proc/sys/kernel/unprivileged_userns_clone");
  out.apparmor_restrict_userns = setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  if (const auto actions = os::read_file("/proc/sys/kernel/seccomp/actions_avail", 4096);
      actions.ok())
    out.seccomp_notify = actions->find("user_notif") != std::string::npos;
  if (const auto modules = os::read_file("/sys/kernel/security/lsm", 4096); modules.ok())
    out.security_modules = trim(*modules);
  if (const auto facts = gather_facts(); facts.ok()) {
    out.kernel_major = facts->kernel_major;
    out.kernel_minor = facts->kernel_minor;
    out.landlock = facts->landlock;
    out.cgroup = facts->cgroup;
  }
  return out;
}

}  // namespace paddock::sandbox
