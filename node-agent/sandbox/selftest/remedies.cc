#include "node-agent/sandbox/selftest/remedies.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/canary.h"

namespace paddock::sandbox {
namespace {

bool older_than(const HostSettings& host, int major, int minor) {
  return host.kernel_major < major || (host.kernel_major == major && host.kernel_minor < minor);
}

std::string without_filters(const char* engine) {
  return cat(engine,
             " run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
             "--security-opt systempaths=unconfined …");
}

// The filters and profiles of a container's runtime refuse what a sandbox is made of.
std::string for_container(const HostSettings& host) {
  switch (host.container) {
    case Container::kDocker:
      return without_filters("docker");
    case Container::kPodman:
      return "podman run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
             "--security-opt unmask=ALL …";
    case Container::kKubernetes:
      return "in the pod: securityContext: {appArmorProfile: {type: Unconfined}, seccompProfile: "
             "{type: Unconfined}, capabilities: {add: [SYS_ADMIN]}}, as charts/paddock has it";
    case Container::kOther:
      return "let the container nest others: lxc config set NAME security.nesting true, or "
             "nerdctl run --security-opt seccomp=unconfined --security-opt apparmor=unconfined …";
    case Container::kNone:
      break;
  }
  return "";
}

std::string for_profile(const HostSettings& host) {
  return cat("add `userns,`, `mount,`, `umount,` and `pivot_root,` to the AppArmor profile ",
             host.apparmor_profile,
             " and load it again (apparmor_parser -r FILE), or aa-disable it");
}

// No setting of this host is known to be in the way.
std::string for_unknown(CanaryEnd end, const HostSettings& host) {
  if (!host.root)
    return "run the agent as root, as its service does: systemctl start paddock-node-agent";
  if (end == CanaryEnd::kNotTried)
    return "nothing is known of this attempt, as it was not made: look up the reason, if one is "
           "given, in docs/troubleshooting.md, and run `paddock doctor` again";
  return "no setting of this host is known to cause this: run `paddock doctor` on a host with the "
         "unmodified kernel of a distribution, to see whether this kernel is the cause";
}

std::string for_isolation(CanaryEnd end, const HostSettings& host) {
  if (older_than(host, 5, 14)) return "use Linux 5.14 or later";
  if (host.max_user_namespaces == 0) return "sysctl -w user.max_user_namespaces=15000";
  if (!host.root && host.unprivileged_userns_clone == 0)
    return "sysctl -w kernel.unprivileged_userns_clone=1";
  if (!host.root && host.apparmor_restrict_userns == 1)
    return "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (or an AppArmor profile for "
           "paddock-sandbox that has `userns,`)";
  if (!host.seccomp_notify)
    return "use a kernel with CONFIG_SECCOMP_FILTER=y (user_notif in "
           "/proc/sys/kernel/seccomp/actions_avail)";
  if (host.container != Container::kNone) return for_container(host);
  if (!host.apparmor_profile.empty()) return for_profile(host);
  return for_unknown(end, host);
}

// In a container its runtime decides about cgroups, and no unit of systemd.
std::string for_cgroup_of_container(const HostSettings& host) {
  switch (host.container) {
    case Container::kDocker:
      return "docker run -v /sys/fs/cgroup:/sys/fs/cgroup --cgroupns=host …";
    case Container::kPodman:
      return "podman run -v /sys/fs/cgroup:/sys/fs/cgroup --cgroupns=host …";
    case Container::kKubernetes:
      return "set cgroup_writable = true in containerd's runtime class (2.1 or later); until then "
             "the pod's resources.limits bound its runs together";
    case Container::kOther:
      return "let the container write cgroups: mount the host's /sys/fs/cgroup into it";
    case Container::kNone:
      break;
  }
  return "";
}

std::string for_cgroup(const std::string& folder, const char* controller,
                       const HostSettings& host) {
  if (!folder.empty()) return "";
  if (host.container != Container::kNone) return for_cgroup_of_container(host);
  switch (host.cgroup.version) {
    case CgroupFacts::Version::kNone:
      return "mount -t cgroup2 none /sys/fs/cgroup";
    case CgroupFacts::Version::kV1:
      return host.root ? cat("mount -o remount,rw /sys/fs/cgroup/", controller)
                       : "run the agent as root: cgroup v1 cannot be delegated safely";
    case CgroupFacts::Version::kV2:
      // Beside the delegated cgroup there is room for runs, and below it from systemd 254 on.
      return host.root ? "systemctl edit paddock-node-agent: [Service] Delegate=cpu memory pids, "
                         "and with systemd 254 or later DelegateSubgroup=agent"
                       : "systemd-run --user --scope -p Delegate=yes paddock up";
  }
  return "";
}

std::string for_landlock(CanaryEnd end, const HostSettings& host) {
  if (older_than(host, 5, 19)) return "use Linux 5.19 or later";
  if (host.landlock > 0) return for_isolation(end, host);
  return cat("boot with lsm=landlock", host.security_modules.empty() ? "" : ",",
             host.security_modules, " (GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub)");
}

std::string for_accounts(const HostSettings& host) {
  if (!host.root) return "run the agent as root: nobody else can give a sandbox a user of its own";
  return "name a range of users that nobody else has: a line paddock:FIRST:COUNT in /etc/subuid";
}

// One run that uses all that a policy may ask for leaves the host no open file: a quarter of all
// processes (admission's ceiling), each with as many.
std::string for_open_files(const HostSettings& host) {
  constexpr int64_t kMostOfAProcess = 65536;
  if (!host.file_max || !host.pid_max || !host.threads_max) return "";
  const int64_t processes = std::min(*host.pid_max, *host.threads_max) / 4;
  if (*host.file_max / kMostOfAProcess > processes) return "";
  return "sysctl -w fs.file-max=9223372036854775807 (else one run with many processes can hold all "
         "files that this host may have open)";
}

// Four runs that may each have a quarter of them.
std::string for_process_numbers(const HostSettings& host) {
  if (!host.pid_max || !host.threads_max || *host.pid_max >= *host.threads_max) return "";
  return "sysctl -w kernel.pid_max=4194304 (else a few runs with many processes use up all process "
         "numbers of this host)";
}

}  // namespace

std::string remedy_for(std::string_view capability, CanaryEnd end, const HostSettings& host) {
  // These hold without a cgroup too, per process instead of in sum: said so even if they passed.
  if (capability == "memory") {
    if (auto line = for_cgroup(host.cgroup.memory, "memory", host); !line.empty()) return line;
  }
  if (capability == "cpuTime") {
    if (auto line = for_cgroup(host.cgroup.cpu, "cpuacct", host); !line.empty()) return line;
  }
  // Open files and process numbers are also counted for the whole host, where no limit of a single
  // run bounds them.
  if (capability == "openFiles") {
    if (auto line = for_open_files(host); !line.empty()) return line;
  }
  if (capability == "pids" && end == CanaryEnd::kPassed) return for_process_numbers(host);
  if (end == CanaryEnd::kPassed) return "";
  if (capability == "pids") {
    if (auto line = for_cgroup(host.cgroup.pids, "pids", host); !line.empty()) return line;
  }
  if (capability == "landlock") return for_landlock(end, host);
  if (capability == "accounts") return for_accounts(host);
  return for_isolation(end, host);
}

}  // namespace paddock::sandbox
