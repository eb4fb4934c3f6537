// The rules that only the command has: see syscall_table.h.
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>

#include "node-agent/sandbox/linux/seccomp/syscall_table.h"

namespace paddock::sandbox {
namespace {

using enum SyscallAction;
using Is = WordTest::Is;

constexpr uint32_t kNewNamespace = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                   CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr uint32_t kNoExecSeal = 8;  // MFD_NOEXEC_SEAL; older kernels refuse it as unknown
constexpr uint32_t kNewTime = 0x80;  // CLONE_NEWTIME; in clone() these bits are a signal

// The mode of fallocate() that frees space. The kernel allows it together with no mode that takes
// space.
constexpr uint32_t kGivesBack = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_COLLAPSE_RANGE;

constexpr WordTest different(int argument, uint32_t value) {
  return {argument, Is::kDifferent, value};
}

// SIGXCPU and SIGXFSZ, which differ in the last bit.
constexpr WordTest limit_signal(int argument) {
  static_assert(SIGXCPU == 24 && SIGXFSZ == 25);
  return equal(argument, SIGXCPU, ~uint32_t{1});
}

// The limits at which the kernel sends these, which differ likewise.
constexpr WordTest limit_with_signal(int argument) {
  static_assert(RLIMIT_CPU == 0 && RLIMIT_FSIZE == 1);
  return equal(argument, RLIMIT_CPU, ~uint32_t{1});
}

constexpr const char* kOfALimit = "the signal of a limit";

constexpr auto kLaunchTable = std::to_array<SyscallRule>({
    // Building sandboxes, this one and any inside it.
    {"clone3", kUnknown, "hides its flags in memory; libraries fall back to clone"},
    {"openat2", kUnknown, "hides its mode in memory; libraries fall back to openat"},
    {"clone", kReport, "nested namespace", any_bit(0, kNewNamespace)},
    {"unshare", kReport, "nested namespace", any_bit(0, kNewNamespace | kNewTime)},
    {"setns", kReport, "enters another namespace"},
    {"mount", kReport, "mount API"},
    {"umount2", kReport, "mount API"},
    {"pivot_root", kReport, "mount API"},
    {"chroot", kReport, "mount API"},
    {"open_tree", kReport, "mount API"},
    {"open_tree_attr", kReport, "mount API"},
    {"move_mount", kReport, "mount API"},
    {"fsopen", kReport, "mount API"},
    {"fsconfig", kReport, "mount API"},
    {"fsmount", kReport, "mount API"},
    {"fspick", kReport, "mount API"},
    {"mount_setattr", kReport, "mount API"},
    {"sethostname", kReport, "the sandbox's name is fixed"},
    {"setdomainname", kReport, "the sandbox's name is fixed"},

    // Other processes.
    {"ptrace", kReport, "controls other processes"},
    {"process_vm_readv", kReport, "reads other processes"},
    {"process_vm_writev", kReport, "writes other processes"},
    {"pidfd_getfd", kReport, "takes descriptors of other processes"},
    {"migrate_pages", kReport, "moves memory of others"},
    // Who measures a workspace asks so which threads share their files.
    {"kcmp", kUnknown, "compares kernel pointers; Mesa tries it"},

    // The kernel's word for a limit that was met, from somebody else: noted, and let through.
    {"kill", kJudge, kOfALimit, limit_signal(1)},
    {"tkill", kJudge, kOfALimit, limit_signal(1)},
    {"tgkill", kJudge, kOfALimit, limit_signal(2)},
    {"rt_sigqueueinfo", kJudge, kOfALimit, limit_signal(1)},
    {"rt_tgsigqueueinfo", kJudge, kOfALimit, limit_signal(2)},
    {"pidfd_send_signal", kJudge, kOfALimit, limit_signal(1)},
    // What has the kernel send it later: when a child ends, a parent, an input. Of a timer it is in
    // memory: a thread that changes it meanwhile deceives only whoever wanted this command.
    {"clone", kJudge, kOfALimit, equal(0, SIGXCPU, 0xfe)},
    {"fcntl", kJudge, kOfALimit, equal(1, F_SETSIG), limit_signal(2)},
    {"prctl", kJudge, kOfALimit, equal(0, PR_SET_PDEATHSIG), limit_signal(1)},
    {"timer_create", kJudge, "may have the signal of a limit", any_bit(1, ~0u)},
    {"timer_create", kJudge, kOfALimit, {1, Is::kAnyBit, ~0u, ~0u, true}},
    // A limit that it gives itself is none of the policy's.
    {"setrlimit", kJudge, "a limit of its own", limit_with_signal(0)},

    // Whoever can read a file can lock it, against the host too: taken for the asker, or refused.
    {"flock", kJudge, "a lock on a file of others", any_bit(1, LOCK_SH | LOCK_EX)},

    // On ranges, of an open file: few, as the kernel charges them to nobody. Those of a process are
    // counted (launcher/lock_watch.h).
    {"fcntl", kJudge, "locks of an open file", equal(1, F_OFD_SETLK)},
    {"fcntl", kJudge, "locks of an open file", equal(1, F_OFD_SETLKW)},

    // As cachestat; programs know file systems that cannot do it.
    {"preadv2", kUnsupported, "shows which shared files other programs read",
     any_bit(5, RWF_NOWAIT)},

    // A whole disk, in less time than lies between two looks at what a run has written, and beyond
    // the largest size of a file. Programs know file systems that have no such call, and write.
    // The launcher itself keeps room for its result so: no rule of its own forbids it.
    {"fallocate", kAllow, "gives space back", any_bit(1, kGivesBack)},
    {"fallocate", kUnsupported, "takes space without writing"},

    // A rule holds a file or folder that nobody has open and that has no name any more, with all
    // its blocks, and tells nobody. Programs know kernels without Landlock.
    {"landlock_create_ruleset", kUnsupported, "what its rules hold is in no count"},
    {"landlock_add_rule", kUnsupported, "holds what is removed",
     equal(1, LANDLOCK_RULE_PATH_BENEATH)},

    // While they wait, the kernel keeps 72 bytes for each descriptor that they name, and charges
    // them to nobody: as many as a run may have at a time.
    {"poll", kJudge, "waits for many descriptors", any_bit(1, ~uint32_t{0xff})},
    {"ppoll", kJudge, "waits for many descriptors", any_bit(1, ~uint32_t{0xff})},
    {"select", kJudge, "waits for many descriptors", any_bit(0, ~uint32_t{0xff})},
    {"pselect6", kJudge, "waits for many descriptors", any_bit(0, ~uint32_t{0xff})},

    // The kernel compiles each into room that the whole host shares: as many as a run may have.
    {"seccomp", kJudge, "a filter of its own", equal(0, SECCOMP_SET_MODE_FILTER)},
    {"prctl", kJudge, "a filter of its own", equal(0, PR_SET_SECCOMP),
     equal(1, SECCOMP_MODE_FILTER)},

    // The kernel and the host.
    {"bpf", kReport, "runs code in the kernel"},
    {"perf_event_open", kReport, "measures the kernel"},
    {"userfaultfd", kReport, "stalls the kernel at chosen points"},
    {"fanotify_init", kReport, "watches whole file systems"},
    {"open_by_handle_at", kReport, "opens files past every mount"},
    {"mknod", kReport, "device", device(1)},
    {"mknodat", kReport, "device", device(2)},
    {"add_key", kReport, "kernel keyrings are shared"},
    {"request_key", kReport, "kernel keyrings are shared"},
    {"keyctl", kReport, "kernel keyrings are shared"},
    {"syslog", kReport, "reads the kernel log"},
    {"acct", kReport, "process accounting"},
    {"quotactl", kReport, "file system quotas"},
    {"quotactl_fd", kReport, "file system quotas"},
    {"settimeofday", kReport, "the host's clock"},
    {"clock_settime", kReport, "the host's clock"},
    {"clock_adjtime", kReport, "the host's clock"},
    {"adjtimex", kReport, "the host's clock"},
    {"ioctl", kReport, "types into a terminal", equal(1, TIOCSTI)},
    {"ioctl", kReport, "pastes into a console", equal(1, TIOCLINUX)},
    {"ioctl", kReport, "changes a terminal's driver", equal(1, TIOCSETD)},
    {"kexec_load", kForbidden, "replaces the kernel"},
    {"kexec_file_load", kForbidden, "replaces the kernel"},
    {"init_module", kForbidden, "loads code into the kernel"},
    {"finit_module", kForbidden, "loads code into the kernel"},
    {"delete_module", kForbidden, "unloads code of the kernel"},
    {"reboot", kForbidden, "stops the host"},
    {"swapon", kForbidden, "the host's swap"},
    {"swapoff", kForbidden, "the host's swap"},
    {"iopl", kForbidden, "talks to hardware"},
    {"ioperm", kForbidden, "talks to hardware"},

    // Sockets: local ones, TCP and UDP exist, and with a loopback device NETLINK_ROUTE. Which
    // sandbox has one is not known yet where the filter is taken on ahead of the order.
    {"socket", kAllow, "local", equal(0, AF_UNIX)},
    {"socket", kJudge, "another family", different(0, AF_INET), different(0, AF_INET6)},
    {"socket", kJudge, "raw and stranger types", any_bit(1, 0xc)},
    {"socket", kJudge, "raw", equal(1, SOCK_RAW, 0xf)},
    {"socket", kAllow, "TCP or UDP", equal(2, 0)},
    {"socket", kAllow, "TCP", equal(2, IPPROTO_TCP)},
    {"socket", kAllow, "UDP", equal(2, IPPROTO_UDP)},
    {"socket", kNoProtocol, "Go tries it and does without", equal(2, IPPROTO_MPTCP)},
    {"socket", kJudge, "protocols that load modules"},
    {"connect", kJudge, "network"},
    {"bind", kJudge, "network"},
    {"listen", kJudge, "network: without bind"},
    {"sendto", kJudge, "datagram with an address", any_bit(4, ~0u)},
    {"sendto", kJudge, "datagram with an address", {4, Is::kAnyBit, ~0u, ~0u, true}},
    {"sendmmsg", kJudge, "datagrams with addresses"},
});

bool holds(const WordTest& test, std::span<const uint64_t, 6> arguments) {
  if (test.argument < 0) return true;
  const uint64_t whole = arguments[static_cast<size_t>(test.argument)];
  const auto word = static_cast<uint32_t>(test.upper ? whole >> 32 : whole);
  switch (test.is) {
    case Is::kEqual:
      return (word & test.mask) == test.value;
    case Is::kDifferent:
      return (word & test.mask) != test.value;
    case Is::kAnyBit:
      return (word & test.value) != 0;
  }
  return false;
}

}  // namespace

const SyscallRule* find_rule(std::span<const SyscallRule> table, std::string_view syscall,
                             std::span<const uint64_t, 6> arguments) {
  for (const SyscallRule& rule : table) {
    if (rule.syscall == syscall && holds(rule.first, arguments) && holds(rule.second, arguments))
      return &rule;
  }
  return nullptr;
}

std::vector<SyscallRule> command_rules(const LaunchChoices& choices) {
  std::vector<SyscallRule> out(kLaunchTable.begin(), kLaunchTable.end());
  if (choices.pass != 0) {
    out.push_back(
        {"sendmsg", kAllow, "hands over the listener", {2, Is::kEqual, choices.pass, ~0u, true}});
  }
  out.push_back({"sendmsg", kJudge, "datagram with an address"});
  if (choices.pass != 0)
    out.push_back({"prlimit64", kAllow, "the policy's own", {4, Is::kEqual, choices.pass}});
  out.push_back({"prlimit64", kJudge, "a limit of its own", limit_with_signal(1), any_bit(2, ~0u)});
  out.push_back({"prlimit64",
                 kJudge,
                 "a limit of its own",
                 limit_with_signal(1),
                 {2, Is::kAnyBit, ~0u, ~0u, true}});
  if (choices.judge_exec) {
    if (choices.pass != 0)
      out.push_back({"execve", kAllow, "the command's own", {3, Is::kEqual, choices.pass}});
    out.push_back({"execve", kJudge, "tools"});
    out.push_back({"execveat", kJudge, "tools"});
    out.push_back({"memfd_create", kAllow, "cannot be executed", any_bit(1, kNoExecSeal)});
    out.push_back({"memfd_create", kJudge, "tools: a file that Landlock does not see"});
  }
  if (choices.hold_exit)
    out.push_back({"exit_group", kJudge, "the end is told of before it takes time"});
  return out;
}

}  // namespace paddock::sandbox
