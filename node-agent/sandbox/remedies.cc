#include "node-agent/sandbox/remedies.h"

#include "common/base/text.h"
#include "common/contracts/canary.h"

namespace paddock::sandbox {
namespace {

bool older_than(const HostSettings& host, int major, int minor) {
  return host.kernel_major < major || (host.kernel_major == major && host.kernel_minor < minor);
}

std::string for_isolation(const HostSettings& host) {
  if (older_than(host, 5, 14)) return "use Linux 5.14 or later";
  if (host.max_user_namespaces == 0) return "sysctl -w user.max_user_namespaces=15000";
  if (!host.root && host.unprivileged_userns_clone == 0)
    return "sysctl -w kernel.unprivileged_userns_clone=1";
  if (!host.root && host.apparmor_restrict_userns == 1)
    return "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
  if (!host.seccomp_notify)
    return "use a kernel with CONFIG_SECCOMP_FILTER=y (user_notif in "
           "/proc/sys/kernel/seccomp/actions_avail)";
  if (host.container)
    return "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
           "--security-opt systempaths=unconfined …";
  return "";
}

std::string for_cgroup(const std::string& folder, const char* controller,
                       const HostSettings& host) {
  if (!folder.empty()) return "";
  switch (host.cgroup.version) {
    case CgroupFacts::Version::kNone:
      return host.container ? "docker run -v /sys/fs/cgroup:/sys/fs/cgroup --cgroupns=host …"
                            : "mount -t cgroup2 none /sys/fs/cgroup";
    case CgroupFacts::Version::kV1:
      return host.root ? cat("mount -o remount,rw /sys/fs/cgroup/", controller)
                       : "run the agent as root: cgroup v1 cannot be delegated safely";
    case CgroupFacts::Version::kV2:
      return "systemctl edit paddock-node-agent: [Service] Delegate=yes, DelegateSubgroup=agent";
  }
  return "";
}

std::string for_landlock(const HostSettings& host) {
  if (older_than(host, 5, 19)) return "use Linux 5.19 or later";
  if (host.landlock > 0) return "";
  return cat("boot with lsm=landlock", host.security_modules.empty() ? "" : ",",
             host.security_modules, " (GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub)");
}

}  // namespace

std::string remedy_for(std::string_view capability, bool passed, const HostSettings& host) {
  // These hold without a cgroup too, per process instead of in sum: said so even if they passed.
  if (capability == "memory") {
    if (auto line = for_cgroup(host.cgroup.memory, "memory", host); !line.empty()) return line;
  }
  if (capability == "cpuTime") {
    if (auto line = for_cgroup(host.cgroup.cpu, "cpuacct", host); !line.empty()) return line;
  }
  if (passed) return "";
  if (capability == "pids") {
    if (auto line = for_cgroup(host.cgroup.pids, "pids", host); !line.empty()) return line;
  }
  if (capability == "landlock") return for_landlock(host);
  return for_isolation(host);
}

}  // namespace paddock::sandbox
