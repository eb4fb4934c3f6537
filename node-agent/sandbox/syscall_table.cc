#include "node-agent/sandbox/syscall_table.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include <array>

namespace paddock::sandbox {
namespace {

using enum SyscallAction;

constexpr uint64_t kLow32 = 0xffffffff;  // the kernel reads an int: the upper half must not matter
constexpr uint64_t kTmpfile = O_TMPFILE & ~O_DIRECTORY;

constexpr ArgumentMatch bit(int argument, uint64_t flag) { return {argument, flag, flag}; }
constexpr ArgumentMatch low32(int argument, uint64_t value) { return {argument, kLow32, value}; }

constexpr auto kMounts = std::to_array<SyscallRule>({
    {"mount", kRefuse, "mount API"},
    {"umount2", kRefuse, "mount API"},
    {"pivot_root", kRefuse, "mount API"},
    {"chroot", kRefuse, "mount API"},
    {"open_tree", kRefuse, "mount API"},
    {"move_mount", kRefuse, "mount API"},
    {"fsopen", kRefuse, "mount API"},
    {"fsconfig", kRefuse, "mount API"},
    {"fsmount", kRefuse, "mount API"},
    {"fspick", kRefuse, "mount API"},
    {"mount_setattr", kRefuse, "mount API"},
    {"open_tree_attr", kRefuse, "mount API"},
});

constexpr auto kNamespaces = std::to_array<SyscallRule>({
    {"setns", kRefuse, "enters another namespace"},
    {"clone3", kUnknown, "hides its flags in memory"},
    {"clone", kRefuse, "nested namespace", bit(0, CLONE_NEWUSER)},
    {"clone", kRefuse, "nested namespace", bit(0, CLONE_NEWNS)},
    {"clone", kRefuse, "nested namespace", bit(0, CLONE_NEWPID)},
    {"clone", kRefuse, "nested namespace", bit(0, CLONE_NEWNET)},
    {"clone", kRefuse, "nested namespace", bit(0, CLONE_NEWIPC)},
    {"clone", kRefuse, "nested namespace", bit(0, CLONE_NEWUTS)},
    {"clone", kRefuse, "nested namespace", bit(0, CLONE_NEWCGROUP)},
    {"unshare", kRefuse, "nested namespace", bit(0, CLONE_NEWUSER)},
    {"unshare", kRefuse, "nested namespace", bit(0, CLONE_NEWNS)},
    {"unshare", kRefuse, "nested namespace", bit(0, CLONE_NEWPID)},
    {"unshare", kRefuse, "nested namespace", bit(0, CLONE_NEWNET)},
    {"unshare", kRefuse, "nested namespace", bit(0, CLONE_NEWIPC)},
    {"unshare", kRefuse, "nested namespace", bit(0, CLONE_NEWUTS)},
    {"unshare", kRefuse, "nested namespace", bit(0, CLONE_NEWCGROUP)},
    {"unshare", kRefuse, "nested namespace", bit(0, 0x80)},  // CLONE_NEWTIME
});

constexpr auto kOtherProcesses = std::to_array<SyscallRule>({
    {"ptrace", kRefuse, "controls other processes"},
    {"process_vm_writev", kRefuse, "writes other processes"},
    {"process_madvise", kRefuse, "acts on other processes"},
    {"kcmp", kRefuse, "compares kernel pointers"},
});

// What the launcher and init themselves do before the command exists.
constexpr auto kOfTheLauncher = std::to_array<SyscallRule>({
    {"process_vm_readv", kRefuse, "reads other processes"},
    {"pidfd_getfd", kRefuse, "takes descriptors of other processes"},
    {"bpf", kRefuse, "runs code in the kernel"},
    {"add_key", kRefuse, "kernel keyrings are shared"},
    {"request_key", kRefuse, "kernel keyrings are shared"},
    {"keyctl", kRefuse, "kernel keyrings are shared"},
    {"quotactl", kRefuse, "file system quotas"},
    {"quotactl_fd", kRefuse, "file system quotas"},
    {"sethostname", kRefuse, "the sandbox's name is fixed"},
    {"openat2", kUnknown, "hides its mode in memory"},
});

constexpr auto kKernelSurface = std::to_array<SyscallRule>({
    {"open_by_handle_at", kRefuse, "opens files past every mount"},
    {"name_to_handle_at", kRefuse, "its other half"},
    {"perf_event_open", kRefuse, "measures the kernel"},
    {"userfaultfd", kRefuse, "stalls the kernel at chosen points"},
    {"io_uring_setup", kUnknown, "does system calls that no filter sees"},
    {"io_uring_enter", kUnknown, "does system calls that no filter sees"},
    {"io_uring_register", kUnknown, "does system calls that no filter sees"},
    {"syslog", kRefuse, "reads the kernel log"},
    {"acct", kRefuse, "process accounting"},
    {"lookup_dcookie", kRefuse, "profiles the kernel"},
    {"modify_ldt", kRefuse, "16-bit segments"},
    {"vm86", kRefuse, "16-bit mode"},
    {"personality", kRefuse, "weakens address randomisation"},
    {"fanotify_init", kRefuse, "watches whole file systems"},
    {"settimeofday", kRefuse, "the host's clock"},
    {"clock_settime", kRefuse, "the host's clock"},
    {"clock_adjtime", kRefuse, "the host's clock"},
    {"adjtimex", kRefuse, "the host's clock"},
    {"setdomainname", kRefuse, "the sandbox's name is fixed"},
    {"vhangup", kRefuse, "terminals"},
    {"kexec_load", kKill, "replaces the kernel"},
    {"kexec_file_load", kKill, "replaces the kernel"},
    {"init_module", kKill, "loads code into the kernel"},
    {"finit_module", kKill, "loads code into the kernel"},
    {"delete_module", kKill, "unloads code of the kernel"},
    {"reboot", kKill, "stops the host"},
    {"swapon", kKill, "the host's swap"},
    {"swapoff", kKill, "the host's swap"},
    {"iopl", kKill, "talks to hardware"},
    {"ioperm", kKill, "talks to hardware"},
});

constexpr auto kTerminals = std::to_array<SyscallRule>({
    {"ioctl", kRefuse, "types into a terminal", low32(1, TIOCSTI)},
    {"ioctl", kRefuse, "pastes into a console", low32(1, TIOCLINUX)},
});

// A file that gets the owner's or group's rights when it runs must never come into being: on the
// host's side of a mount it would work.
constexpr auto kSetId = std::to_array<SyscallRule>({
    {"chmod", kRefuse, "set-id file", bit(1, S_ISUID)},
    {"chmod", kRefuse, "set-id file", bit(1, S_ISGID)},
    {"fchmod", kRefuse, "set-id file", bit(1, S_ISUID)},
    {"fchmod", kRefuse, "set-id file", bit(1, S_ISGID)},
    {"fchmodat", kRefuse, "set-id file", bit(2, S_ISUID)},
    {"fchmodat", kRefuse, "set-id file", bit(2, S_ISGID)},
    {"fchmodat2", kUnknown, "newer than this filter's library"},
    {"creat", kRefuse, "set-id file", bit(1, S_ISUID)},
    {"creat", kRefuse, "set-id file", bit(1, S_ISGID)},
    {"open", kRefuse, "set-id file", bit(1, O_CREAT), bit(2, S_ISUID)},
    {"open", kRefuse, "set-id file", bit(1, O_CREAT), bit(2, S_ISGID)},
    {"open", kRefuse, "set-id file", bit(1, kTmpfile), bit(2, S_ISUID)},
    {"open", kRefuse, "set-id file", bit(1, kTmpfile), bit(2, S_ISGID)},
    {"openat", kRefuse, "set-id file", bit(2, O_CREAT), bit(3, S_ISUID)},
    {"openat", kRefuse, "set-id file", bit(2, O_CREAT), bit(3, S_ISGID)},
    {"openat", kRefuse, "set-id file", bit(2, kTmpfile), bit(3, S_ISUID)},
    {"openat", kRefuse, "set-id file", bit(2, kTmpfile), bit(3, S_ISGID)},
    {"mknod", kRefuse, "set-id file", bit(1, S_ISUID)},
    {"mknod", kRefuse, "set-id file", bit(1, S_ISGID)},
    {"mknodat", kRefuse, "set-id file", bit(2, S_ISUID)},
    {"mknodat", kRefuse, "set-id file", bit(2, S_ISGID)},
    {"mknod", kRefuse, "character device", {1, S_IFMT, S_IFCHR}},
    {"mknod", kRefuse, "block device", {1, S_IFMT, S_IFBLK}},
    {"mknodat", kRefuse, "character device", {2, S_IFMT, S_IFCHR}},
    {"mknodat", kRefuse, "block device", {2, S_IFMT, S_IFBLK}},
});

// Of the socket families only AF_UNIX (1), AF_INET (2) and AF_INET6 (10) exist. Five masks cover
// the others up to 63; the kernel knows none above.
constexpr auto kSockets = std::to_array<SyscallRule>({
    {"socket", kNoFamily, "families 32-63: AF_VSOCK, AF_ALG, …", {0, 0x20, 0x20}},
    {"socket", kNoFamily, "families 16-31: AF_NETLINK, AF_PACKET, …", {0, 0x10, 0x10}},
    {"socket", kNoFamily, "families 4-7 and 12-15", {0, 0x04, 0x04}},
    {"socket", kNoFamily, "families 3 and 11", {0, 0x03, 0x03}},
    {"socket", kNoFamily, "families 8 and 9", {0, 0x0a, 0x08}},
    {"connect", kAsk, "network"},
    {"bind", kAsk, "network"},
    {"sendto", kAsk, "network: datagrams with an address", {4, 0, 0}},
});

template <size_t... N>
constexpr auto joined(const std::array<SyscallRule, N>&... parts) {
  std::array<SyscallRule, (N + ...)> out{};
  size_t at = 0;
  const auto append = [&](const auto& part) {
    for (const SyscallRule& rule : part) out[at++] = rule;
  };
  (append(parts), ...);
  return out;
}

constexpr auto kBase = joined(kOtherProcesses, kKernelSurface, kTerminals, kSetId);
constexpr auto kLaunch = joined(kMounts, kNamespaces, kOfTheLauncher, kSockets);

}  // namespace

std::span<const SyscallRule> base_table() { return kBase; }
std::span<const SyscallRule> launch_table() { return kLaunch; }

}  // namespace paddock::sandbox
