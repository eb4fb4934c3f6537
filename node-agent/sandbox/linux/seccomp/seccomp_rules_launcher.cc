// The rules that a launcher itself can live with: see syscall_table.h.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>

#include "node-agent/sandbox/linux/seccomp/syscall_table.h"

namespace paddock::sandbox {
namespace {

using enum SyscallAction;
using Is = WordTest::Is;

constexpr uint32_t kFlowLabelManager = 32;      // IPV6_FLOWLABEL_MGR
constexpr uint32_t kAddAuthenticationKey = 38;  // TCP_AO_ADD_KEY
// Of IPv4 alone, and of both: linux/in.h has them beside names that the C library has too.
constexpr uint32_t kBlockSource = 38;        // IP_BLOCK_SOURCE
constexpr uint32_t kAddSource = 39;          // IP_ADD_SOURCE_MEMBERSHIP
constexpr uint32_t kSetSources = 41;         // IP_MSFILTER
constexpr uint32_t kBlockSourceOfBoth = 43;  // MCAST_BLOCK_SOURCE
constexpr uint32_t kAddSourceOfBoth = 46;    // MCAST_JOIN_SOURCE_GROUP
constexpr uint32_t kSetSourcesOfBoth = 48;   // MCAST_MSFILTER
// Requests of file systems, and all numbers of the same kind: _IOW('X', N, 48 bytes), _IOW(0x94, N,
// 4096 bytes).
constexpr uint32_t kOfOneKind = ~0xffu;
constexpr uint32_t kOfSpace = 0x40305800;  // FS_IOC_RESVSP, FS_IOC_ZERO_RANGE, XFS_IOC_ALLOCSP
constexpr uint32_t kSetAttributes = 0x401c5820;  // FS_IOC_FSSETXATTR
constexpr uint32_t kOfSubvolumes = 0x50009400;   // BTRFS_IOC_SUBVOL_CREATE, BTRFS_IOC_SNAP_CREATE
constexpr uint32_t kCoreScheduling = 62;         // PR_SCHED_CORE
constexpr uint32_t kMergeMemory = 67;            // PR_SET_MEMORY_MERGE
// All flags of memfd_create but the five of Linux 6.3 and the size of huge pages.
constexpr uint32_t kUnknownMemfdFlags = ~(0x1fu | (63u << 26));
constexpr uint32_t kLongValue = ~0x1ffU;  // 512 bytes and more
constexpr uint32_t kTmpfile = O_TMPFILE & ~O_DIRECTORY;

// A file that gets the owner's or group's rights when it runs must never come into being: on the
// host's side of a mount it would work.
constexpr WordTest set_id(int argument) { return any_bit(argument, S_ISUID | S_ISGID); }

constexpr WordTest given(int argument, bool upper) {
  return {argument, Is::kDifferent, 0, ~0u, upper};
}

constexpr auto kLauncherRules = std::to_array<SyscallRule>({
    // Libraries try these and do without.
    {"io_uring_setup", kUnknown, "does system calls that no filter sees"},
    {"io_uring_enter", kUnknown, "does system calls that no filter sees"},
    {"io_uring_register", kUnknown, "does system calls that no filter sees"},
    {"process_madvise", kUnknown, "allocators try it; it acts on other processes"},
    {"process_mrelease", kUnknown, "acts on other processes"},
    {"memfd_secret", kUnknown, "memory that nobody can look at or move"},
    {"statmount", kUnknown, "shows mounts; libmount falls back to /proc"},
    {"listmount", kUnknown, "shows mounts; libmount falls back to /proc"},
    {"lsm_get_self_attr", kUnknown, "shows the host's security modules"},
    {"lsm_set_self_attr", kUnknown, "changes the process's security module state"},
    {"lsm_list_modules", kUnknown, "shows the host's security modules"},
    {"cachestat", kUnknown, "shows which shared files other programs read"},
    {"file_setattr", kUnknown, "project ids and flags carry quotas"},
    {"lookup_dcookie", kUnknown, "profiles the kernel; gone since 6.7"},
    {"uselib", kUnknown, "loads a library of 1993"},
    {"_sysctl", kUnknown, "gone since 5.5"},
    {"sysfs", kUnknown, "lists the kernel's file systems"},
    {"ustat", kUnknown, "the host's devices by number"},
    {"io_setup", kUnknown, "the host has few of these for all; databases fall back"},
    {"name_to_handle_at", kUnknown, "makes names that leave every mount; systemd tries it"},

    // Ordinary programs ask for these by mistake or habit: told, not reported.
    {"sched_setscheduler", kAllow, "ordinary",
     equal(1, SCHED_OTHER, ~uint32_t{SCHED_RESET_ON_FORK})},
    {"sched_setscheduler", kAllow, "batch", equal(1, SCHED_BATCH, ~uint32_t{SCHED_RESET_ON_FORK})},
    {"sched_setscheduler", kAllow, "idle", equal(1, SCHED_IDLE, ~uint32_t{SCHED_RESET_ON_FORK})},
    {"sched_setscheduler", kRefuse, "real-time: starves the host"},
    {"sched_setattr", kRefuse, "hides real-time and deadlines in memory"},
    {"personality", kAllow, "asks only", equal(0, 0xffffffff)},
    {"personality", kAllow, "ordinary Linux", equal(0, 0)},
    {"personality", kRefuse, "weakens address randomisation"},
    {"fcntl", kRefuse, "leases hold up whoever opens the file on the host", equal(1, F_SETLEASE)},
    {"fcntl", kRefuse, "watches folders by signal", equal(1, F_NOTIFY)},
    {"socketpair", kNoFamily, "other families load modules", {0, Is::kDifferent, 1 /*AF_UNIX*/}},
    // A limit of 1 keeps the host's crash handler away and 0 would not; programs that set 0 want
    // what they have already.
    {"setrlimit", kPretend, "core limit", equal(0, RLIMIT_CORE)},
    {"prlimit64", kAllow, "asks only", equal(2, 0), {2, Is::kEqual, 0, ~0u, true}},
    {"prlimit64", kRefuse, "limits of another process", given(0, false)},
    {"prlimit64", kRefuse, "core limit, and what it was", equal(1, RLIMIT_CORE), given(3, false)},
    {"prlimit64", kRefuse, "core limit, and what it was", equal(1, RLIMIT_CORE), given(3, true)},
    {"prlimit64", kPretend, "core limit", equal(1, RLIMIT_CORE)},
    // Resources of which the kernel has few for the whole host. A program that asks for them has to
    // do without.
    {"setsockopt", kRefuse, "IPv6 flow labels: few for the host, and they outlive their sockets",
     equal(1, IPPROTO_IPV6), equal(2, kFlowLabelManager)},
    {"setsockopt", kRefuse, "compiled filters: the host has room for few, of seccomp's too",
     equal(1, SOL_SOCKET), equal(2, SO_ATTACH_FILTER)},
    {"setsockopt", kRefuse, "compiled filters", equal(1, SOL_SOCKET),
     equal(2, SO_ATTACH_REUSEPORT_CBPF)},
    // Routers know each other by these keys.
    {"setsockopt", kRefuse, "keys of TCP: no cgroup counts them", equal(1, IPPROTO_TCP),
     equal(2, TCP_MD5SIG)},
    {"setsockopt", kRefuse, "keys of TCP", equal(1, IPPROTO_TCP), equal(2, TCP_MD5SIG_EXT)},
    {"setsockopt", kRefuse, "keys of TCP", equal(1, IPPROTO_TCP), equal(2, kAddAuthenticationKey)},
    // The device keeps each, and charges it to nobody. Joining a group, from whatever source, is
    // for everybody.
    {"setsockopt", kRefuse, "sources of groups: no cgroup counts them", equal(1, IPPROTO_IP),
     equal(2, kBlockSource)},
    {"setsockopt", kRefuse, "sources of groups", equal(1, IPPROTO_IP), equal(2, kAddSource)},
    {"setsockopt", kRefuse, "sources of groups", equal(1, IPPROTO_IP), equal(2, kSetSources)},
    {"setsockopt", kRefuse, "sources of groups", equal(1, IPPROTO_IP),
     equal(2, kBlockSourceOfBoth)},
    {"setsockopt", kRefuse, "sources of groups", equal(1, IPPROTO_IP), equal(2, kAddSourceOfBoth)},
    {"setsockopt", kRefuse, "sources of groups", equal(1, IPPROTO_IP), equal(2, kSetSourcesOfBoth)},
    {"setsockopt", kRefuse, "sources of groups", equal(1, IPPROTO_IPV6),
     equal(2, kBlockSourceOfBoth)},
    {"setsockopt", kRefuse, "sources of groups", equal(1, IPPROTO_IPV6),
     equal(2, kAddSourceOfBoth)},
    {"setsockopt", kRefuse, "sources of groups", equal(1, IPPROTO_IPV6),
     equal(2, kSetSourcesOfBoth)},
    {"mmap", kNoMemory, "huge pages: the host's, and no memory limit counts them",
     any_bit(3, MAP_HUGETLB)},
    {"memfd_create", kInvalid, "no kernel's flags: Chromium asks so for which there are",
     any_bit(1, kUnknownMemfdFlags)},
    {"memfd_create", kNoMemory, "huge pages", any_bit(1, MFD_HUGETLB)},
    {"shmget", kNoMemory, "huge pages", any_bit(2, SHM_HUGETLB)},
    // XFS's older names of fallocate, which every file system takes (struct space_resv).
    {"ioctl", kRefuse, "takes space without writing", equal(1, kOfSpace, kOfOneKind)},
    {"ioctl", kRefuse, "takes much space for each write, and leaves project quotas",
     equal(1, kSetAttributes)},
    // btrfs: to whoever measures a folder they are file systems of their own.
    {"ioctl", kRefuse, "subvolumes", equal(1, kOfSubvolumes, kOfOneKind)},
    {"prctl", kInvalid, "core scheduling: takes processors from others", equal(0, kCoreScheduling)},
    // Where the host merges pages that are alike, the time that a write takes tells whether another
    // process has such a page. Programs know kernels that cannot do it.
    {"madvise", kInvalid, "shares pages with other processes", equal(2, MADV_MERGEABLE)},
    {"prctl", kInvalid, "shares pages with other processes", equal(0, kMergeMemory)},
    // Each file of a folder in memory can have an access control list of 64 KiB, each folder two,
    // and no cgroup counts them. The filter does not see an attribute's name, so no value is
    // longer.
    {"setxattr", kUnsupported, "a list that no cgroup counts", any_bit(3, kLongValue)},
    {"lsetxattr", kUnsupported, "a list that no cgroup counts", any_bit(3, kLongValue)},
    {"fsetxattr", kUnsupported, "a list that no cgroup counts", any_bit(3, kLongValue)},
    {"setxattrat", kUnknown, "hides its size in memory"},
    // No signal ends such a call, and a kernel without preemption gives its processor to nobody
    // else meanwhile: 13 seconds for all addresses that a process can have.
    {"mincore", kNoMemory, "4 GiB or more: holds a processor for seconds", given(1, true)},
    {"vhangup", kRefuse, "terminals"},
    {"move_pages", kRefuse, "shows where memory lies"},
    // On a file in memory each page can have one of its own, which stays when it is unmapped.
    {"mbind", kRefuse, "policies of memory: no cgroup counts them"},
    {"modify_ldt", kRefuse, "16-bit segments"},

    {"chmod", kRefuse, "set-id file", set_id(1)},
    {"fchmod", kRefuse, "set-id file", set_id(1)},
    {"fchmodat", kRefuse, "set-id file", set_id(2)},
    {"fchmodat2", kRefuse, "set-id file", set_id(2)},
    {"creat", kRefuse, "set-id file", set_id(1)},
    {"open", kRefuse, "set-id file", any_bit(1, O_CREAT | kTmpfile), set_id(2)},
    {"openat", kRefuse, "set-id file", any_bit(2, O_CREAT | kTmpfile), set_id(3)},
    // The command's own rules refuse devices and tell of them; a refusal here would be silent.
    {"mknod", kAllow, "device", device(1)},
    {"mknod", kRefuse, "set-id file", set_id(1)},
    {"mknodat", kAllow, "device", device(2)},
    {"mknodat", kRefuse, "set-id file", set_id(2)},
});

}  // namespace

std::span<const SyscallRule> launcher_rules() { return kLauncherRules; }

}  // namespace paddock::sandbox
