#include "node-agent/sandbox/selftest/canaries.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

constexpr const char* kUntried = "not tried";  // and why, if that is known

std::vector<CanarySpec> make_table() {
  return {
      {"namespaces", "processes", "share a namespace with the launcher", {"none shared"}},
      {"ptrace", "processes", "trace the sandbox's first process", {"EPERM"}},
      {"kill",
       "processes",
       "outlive the run: setsid, double fork, stopped, signals ignored",
       {"nothing left"}},
      {"become-root", "privileges", "setuid(0)", {"EPERM", "EINVAL"}},
      {"capabilities", "privileges", "find a capability, or a way to one", {"none"}},
      {"set-id", "privileges", "make a set-uid program", {"EPERM"}},
      {"write-system", "filesystem", "create a file in /usr", {"EROFS", "EACCES"}},
      {"write-root", "filesystem", "create a file in /", {"EROFS", "EACCES"}},
      {"write-mount", "filesystem", "write to a read-only mount", {"EROFS", "EACCES"}},
      {"lock-host", "filesystem", "lock a file of the host that it may read", {"EBADF"}},
      {"read-host", "filesystem", "read a file of the host that everybody may read", {"ENOENT"}},
      {"read-shadow", "filesystem", "open /etc/shadow", {"ENOENT"}},
      {"device", "filesystem", "open /dev/mem", {"ENOENT"}},
      {"mount", "syscalls", "mount a tmpfs", {"EPERM"}},
      {"unshare", "syscalls", "make a user namespace", {"EPERM"}},
      {"mknod", "syscalls", "make a device node", {"EPERM"}},
      {"keyctl", "syscalls", "reach the kernel's keyrings", {"EPERM"}},
      {"bpf", "syscalls", "load a program into the kernel", {"EPERM"}},
      {"io_uring", "syscalls", "set up io_uring", {"ENOSYS"}},
      {"perf", "syscalls", "open a performance counter", {"EPERM"}},
      {"userfaultfd", "syscalls", "handle page faults of the kernel", {"EPERM"}},
      {"flow-label",
       "syscalls",
       "take an IPv6 flow label, which are few for the whole host",
       {"EPERM", "EAFNOSUPPORT"}},
      {"group-source",
       "syscalls",
       "join a group of IPv6 from one source, which no memory limit counts",
       {"EPERM", "EAFNOSUPPORT"}},
      {"many-waits",
       "syscalls",
       "wait for 500,000 descriptors in one call of poll, which no memory limit counts",
       {"ENOMEM"}},
      {"huge-page", "syscalls", "map a huge page, which no memory limit counts", {"ENOMEM"}},
      {"range-locks",
       "syscalls",
       "have more than 64 locks of one open file, which no memory limit counts",
       {"ENOLCK at 64"}},
      {"long-attribute",
       "syscalls",
       "give a file in memory a list of 516 bytes, which no memory limit counts",
       {"EOPNOTSUPP"}},
      {"hidden-attribute", "syscalls", "the same with its size in memory (setxattrat)", {"ENOSYS"}},
      {"merge-page",
       "syscalls",
       "have a page merged with those of other processes (MADV_MERGEABLE)",
       {"EINVAL"}},
      {"merge-pages", "syscalls", "the same for all pages (PR_SET_MEMORY_MERGE)", {"EINVAL"}},
      {"tiocsti", "syscalls", "type into a terminal (TIOCSTI)", {"EPERM"}},
      {"tiocsti-high", "syscalls", "the same with a bit in the upper half", {"EPERM"}},
      {"forbidden", "syscalls", "reboot, with numbers that no kernel takes", {"SIGSYS"}},
      {"own-filters",
       "syscalls",
       "have more than 256 filters of system calls of its own",
       {"ENOMEM at 256"}},
      {"connect",
       "network",
       "connect to a listener of the host on 127.0.0.1",
       {"EPERM", "ENETUNREACH", "ECONNREFUSED"}},
      {"abstract-socket",
       "network",
       "connect to an abstract socket of the host",
       {"ECONNREFUSED", "EPERM"}},
      {"packet-socket", "network", "open a packet socket", {"EPERM", "EAFNOSUPPORT"}},
      {"report", "network", "hide the refused connection from the result", {"named in the result"}},
      {"environment", "environment", "find a variable of the launcher", {"none"}},
      {"landlock",
       "landlock",
       "open a file of the host for writing by a read-only descriptor of it",
       {"EACCES"}},
      {"open-files", "openFiles", "hold more than 32 descriptors", {"EMFILE at 32"}},
      {"file-size", "fileSize", "write a file of more than 256 KiB", {"EFBIG at 262144"}},
      {"scratch-bytes", "fsBytes", "write more than 1 MiB to /tmp", {"ENOSPC"}},
      {"scratch-files", "fileCount", "make more than 64 files in /tmp", {"ENOSPC"}},
      {"pids", "pids", "be more than 16 processes", {"EAGAIN at 16"}},
      {"output", "output", "have more than 1000 bytes kept", {"cut at 1000"}},
      {"other-tool", "tools", "execute a program that is not among the tools", {"EACCES"}},
      {"loader", "tools", "execute a program by its loader", {"EACCES", "no loader"}},
      {"memory-file", "tools", "make a file in memory that could be executed", {"EACCES"}},
      {"other-device", "devices", "open a device that was not granted", {"ENOENT"}},
      {"past-broker",
       "allowDomains",
       "connect to a listener of the host past the broker",
       {"EPERM", "EACCES", "ENETUNREACH", "ECONNREFUSED"}},
      {"own-loopback", "loopback", "meet a listener of its own on 127.0.0.1", {"met"}},
      {"past-loopback",
       "network",
       "connect to a listener of the host by a loopback device of its own",
       {"ECONNREFUSED", "ENETUNREACH"}},
      {"change-network",
       "network",
       "give a loopback device of its own another address (NETLINK_ROUTE)",
       {"EPERM", "EAFNOSUPPORT"}},
      {"own-accounts",
       "accounts",
       "hand over a descriptor while a user of the host, as whom other sandboxes may run, has more "
       "under way than one of its processes may hold",
       {"handed over"}},
      {"memory", "memory", "use 256 MiB of 64 MiB", {"MEM_LIMIT", "ENOMEM"}},
      {"cpu-time", "cpuTime", "use more CPU time than 50 ms", {"CPU_LIMIT"}},
      {"wall-time", "wallTime", "go on after 50 ms", {"TIMEOUT"}},
      {"workspace-bytes",
       "workspaceBytes",
       "write more than 1 MiB to a folder that is measured, and keep it",
       {"LIMIT_EXCEEDED"}},
      {"set-aside",
       "workspaceBytes",
       "have more than 1 MiB of that folder set aside, without writing it",
       {"EOPNOTSUPP"}},
      {"in-flight",
       "workspaceBytes",
       "have a file on its way through a socket of which the kernel does not tell",
       {"told of", "refused"}},
      {"caller-gone", "processes", "go on when nobody is left who asked for it", {"CANCELED"}},
  };
}

std::string answer_to(const CanarySpec& spec, const CanaryFindings& findings) {
  const auto found = findings.answers.find(spec.name);
  if (found != findings.answers.end()) return found->second;
  return findings.why_not.empty() ? kUntried : cat(kUntried, ": ", findings.why_not);
}

CanaryEnd end_of(const contracts::Canary& canary) {
  if (canary.passed) return CanaryEnd::kPassed;
  return canary.got.starts_with(kUntried) ? CanaryEnd::kNotTried : CanaryEnd::kFailed;
}

contracts::Canary judge_one(const CanarySpec& spec, const CanaryFindings& findings,
                            const HostSettings& host) {
  contracts::Canary out;
  out.name = spec.name;
  out.capability = spec.capability;
  out.attempt = spec.attempt;
  out.expected = join(std::vector<std::string>(spec.good.begin(), spec.good.end()), " or ");
  out.got = answer_to(spec, findings);
  out.passed = std::ranges::find(spec.good, out.got) != spec.good.end();
  const auto enforced = findings.enforced.find(out.capability);
  if (out.passed && enforced != findings.enforced.end() && enforced->second.applied)
    out.level = enforced->second.level;
  // Stopped, but by nothing that this sandbox put there: luck is no proof.
  if (out.level == contracts::EnforcementLevel::kNone) out.passed = false;
  out.remedy = remedy_for(out.capability, end_of(out), host);
  return out;
}

}  // namespace

std::span<const CanarySpec> canary_table() {
  static const std::vector<CanarySpec> table = make_table();
  return table;
}

void take_answers(std::string_view lines, CanaryFindings& findings) {
  for (const std::string& line : split(lines, '\n')) {
    const size_t tab = line.find('\t');
    if (tab != std::string::npos)
      findings.answers.emplace(line.substr(0, tab), line.substr(tab + 1));
  }
}

std::vector<contracts::Canary> judge(const CanaryFindings& findings, const HostSettings& host) {
  std::vector<contracts::Canary> out;
  for (const CanarySpec& spec : canary_table()) out.push_back(judge_one(spec, findings, host));
  return out;
}

std::vector<contracts::Capability> proven(const CanaryFindings& findings,
                                          const std::vector<contracts::Canary>& canaries) {
  std::vector<contracts::Capability> out;
  const bool ran = std::ranges::any_of(findings.enforced,
                                       [](const auto& entry) { return entry.second.applied; });
  out.push_back({"sandbox", ran, "namespaces, seccomp, rlimits", findings.why_not,
                 ran ? Reason() : Reason("SANDBOX_SETUP_FAILED")});
  for (const auto& [name, enforcement] : findings.enforced) {
    contracts::Capability capability{name, enforcement.applied, enforcement.mechanism,
                                     enforcement.details, enforcement.reason};
    for (const contracts::Canary& canary : canaries) {
      if (canary.capability != name || canary.passed) continue;
      if (capability.available) {
        capability.details = cat("canary ", canary.name, ": ", canary.attempt, ": ", canary.got);
        capability.reason = Reason("CANARY_FAILED");
      }
      capability.available = false;
    }
    out.push_back(std::move(capability));
  }
  return out;
}

}  // namespace paddock::sandbox
