// The settings of this host that are known to weaken or prevent a sandbox.
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/host/facts.h"
#include "node-agent/sandbox/linux/selftest/canary_launches.h"

namespace paddock::sandbox {
namespace {

std::optional<int64_t> setting(const char* path) {
  const auto text = os::read_file(path, 64);
  return text.ok() ? parse_integer<int64_t>(trim(*text)) : std::nullopt;
}

// A file that may not be read counts as empty.
std::string text_of(const char* path) {
  constexpr size_t kMost = 1 << 20;
  auto text = os::read_file(path, kMost);
  return text.ok() ? std::move(text).value() : "";
}

ContainerTraces read_traces() {
  ContainerTraces out;
  out.dockerenv = os::exists("/.dockerenv");
  out.containerenv = os::exists("/run/.containerenv");
  out.init_environ = text_of("/proc/1/environ");
  out.own_environ = text_of("/proc/self/environ");
  out.mounts = text_of("/proc/self/mountinfo");
  return out;
}

// The second is of whichever module came first; kernels before 5.8 have it alone.
std::string read_profile() {
  const std::string own = text_of("/proc/self/attr/apparmor/current");
  return enforced_profile(own.empty() ? text_of("/proc/self/attr/current") : own);
}

}  // namespace

HostSettings read_host_settings() {
  HostSettings out;
  out.root = geteuid() == 0;
  out.container = container_of(read_traces());
  out.apparmor_profile = read_profile();
  out.max_user_namespaces = setting("/proc/sys/user/max_user_namespaces");
  out.unprivileged_userns_clone = setting("/proc/sys/kernel/unprivileged_userns_clone");
  out.apparmor_restrict_userns = setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  out.file_max = setting("/proc/sys/fs/file-max");
  out.pid_max = setting("/proc/sys/kernel/pid_max");
  out.threads_max = setting("/proc/sys/kernel/threads-max");
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
