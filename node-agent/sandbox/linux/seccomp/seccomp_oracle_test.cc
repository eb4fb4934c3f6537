// Every call with every interesting argument on both machines, against rules that were written down
// a second time.
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <set>

#include "common/base/random.h"
#include "node-agent/sandbox/linux/seccomp/seccomp_test_support.h"

namespace paddock::sandbox {
namespace {

// Written down a second time, by the call's meaning and not by the table: what a command gets.
class Oracle {
 public:
  static std::string decide(const std::string& call, const Arguments& a) {
    static const std::set<std::string> absent = {"io_uring_setup",
                                                 "io_uring_enter",
                                                 "io_uring_register",
                                                 "process_madvise",
                                                 "process_mrelease",
                                                 "memfd_secret",
                                                 "statmount",
                                                 "listmount",
                                                 "lsm_get_self_attr",
                                                 "lsm_set_self_attr",
                                                 "lsm_list_modules",
                                                 "cachestat",
                                                 "file_setattr",
                                                 "setxattrat",
                                                 "lookup_dcookie",
                                                 "uselib",
                                                 "_sysctl",
                                                 "sysfs",
                                                 "ustat",
                                                 "kcmp",
                                                 "io_setup",
                                                 "name_to_handle_at",
                                                 "clone3",
                                                 "openat2"};
    static const std::set<std::string> refused = {"sched_setattr", "vhangup", "move_pages", "mbind",
                                                  "modify_ldt"};
    static const std::set<std::string> asked = {"migrate_pages",
                                                "userfaultfd",
                                                "fanotify_init",
                                                "setns",
                                                "mount",
                                                "umount2",
                                                "pivot_root",
                                                "chroot",
                                                "open_tree",
                                                "open_tree_attr",
                                                "move_mount",
                                                "fsopen",
                                                "fsconfig",
                                                "fsmount",
                                                "fspick",
                                                "mount_setattr",
                                                "sethostname",
                                                "setdomainname",
                                                "ptrace",
                                                "process_vm_readv",
                                                "process_vm_writev",
                                                "pidfd_getfd",
                                                "bpf",
                                                "perf_event_open",
                                                "open_by_handle_at",
                                                "add_key",
                                                "request_key",
                                                "keyctl",
                                                "syslog",
                                                "acct",
                                                "quotactl",
                                                "quotactl_fd",
                                                "settimeofday",
                                                "clock_settime",
                                                "clock_adjtime",
                                                "adjtimex",
                                                "kexec_load",
                                                "kexec_file_load",
                                                "init_module",
                                                "finit_module",
                                                "delete_module",
                                                "reboot",
                                                "swapon",
                                                "swapoff",
                                                "iopl",
                                                "ioperm",
                                                "connect",
                                                "bind",
                                                "listen",
                                                "sendmmsg",
                                                "execveat"};
    if (absent.contains(call)) return "ENOSYS";
    if (refused.contains(call)) return "EPERM";
    if (asked.contains(call)) return "ask";
    return by_arguments(call, a);
  }

 private:
  static int low(uint64_t value) { return static_cast<int>(static_cast<uint32_t>(value)); }
  static bool set_id(uint64_t mode) { return (mode & (S_ISUID | S_ISGID)) != 0; }
  static bool creates(uint64_t flags) {
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE & ~uint64_t{O_DIRECTORY}) != 0;
  }
  static std::string refuse_if(bool condition) { return condition ? "EPERM" : "allow"; }
  static std::string no_memory_if(bool condition) { return condition ? "ENOMEM" : "allow"; }
  static std::string ask_if(bool condition) { return condition ? "ask" : "allow"; }

  static std::string by_arguments(const std::string& call, const Arguments& a) {
    constexpr uint64_t kSpaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                 CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
    if (call == "clone") return ask_if((a[0] & kSpaces) != 0 || (a[0] & 0xfe) == 24);
    if (call == "timer_create") return ask_if(a[1] != 0);
    if (call == "poll" || call == "ppoll") return ask_if(static_cast<uint32_t>(a[1]) >= 256);
    if (call == "select" || call == "pselect6") return ask_if(static_cast<uint32_t>(a[0]) >= 256);
    if (call == "unshare") return ask_if((a[0] & (kSpaces | 0x80)) != 0);
    if (call == "ioctl") return control(static_cast<uint32_t>(a[1]));
    if (call == "fallocate") return (a[1] & 0xa) != 0 ? "allow" : "EOPNOTSUPP";
    if (call == "preadv2") return (a[5] & 8) != 0 ? "EOPNOTSUPP" : "allow";
    if (call == "landlock_create_ruleset") return "EOPNOTSUPP";
    if (call == "landlock_add_rule") return low(a[1]) == 1 ? "EOPNOTSUPP" : "allow";
    if (call == "flock") return ask_if((a[1] & 3) != 0);
    if (call == "seccomp") return ask_if(low(a[0]) == SECCOMP_SET_MODE_FILTER);
    if (call == "prctl" && (low(a[0]) == 62 || low(a[0]) == 67)) return "EINVAL";
    if (call == "madvise") return low(a[2]) == 12 ? "EINVAL" : "allow";
    if (call == "prctl" && low(a[0]) == 1) return ask_if((low(a[1]) & ~1) == 24);
    if (call == "prctl")
      return ask_if(low(a[0]) == PR_SET_SECCOMP && low(a[1]) == SECCOMP_MODE_FILTER);
    if (call == "sendto") return ask_if(a[4] != 0);
    if (call == "execve") return ask_if(static_cast<uint32_t>(a[3]) != kChoices.pass);
    if (call == "sendmsg") return ask_if(a[2] >> 32 != kChoices.pass);
    if (call == "chmod" || call == "fchmod" || call == "creat") return refuse_if(set_id(a[1]));
    if (call == "fchmodat" || call == "fchmodat2") return refuse_if(set_id(a[2]));
    if (call == "open") return refuse_if(creates(a[1]) && set_id(a[2]));
    if (call == "openat") return refuse_if(creates(a[2]) && set_id(a[3]));
    if (call == "mknod") return make_node(a[1]);
    if (call == "mknodat") return make_node(a[2]);
    if (call == "fcntl" && (low(a[1]) == 37 || low(a[1]) == 38)) return "ask";
    if (call == "fcntl" && low(a[1]) == 10) return ask_if((low(a[2]) & ~1) == 24);
    if (call == "fcntl") return refuse_if(low(a[1]) == F_SETLEASE || low(a[1]) == F_NOTIFY);
    if (call == "setxattr" || call == "lsetxattr" || call == "fsetxattr")
      return static_cast<uint32_t>(a[3]) >= 512 ? "EOPNOTSUPP" : "allow";
    if (call == "setrlimit" && (low(a[0]) == RLIMIT_CPU || low(a[0]) == RLIMIT_FSIZE)) return "ask";
    if (call == "setrlimit") return low(a[0]) == RLIMIT_CORE ? "pretend" : "allow";
    if (call == "prlimit64") {
      const std::string out = set_limit(low(a[0]), low(a[1]), a[2], a[3]);
      return out == "ask" ? ask_if(static_cast<uint32_t>(a[4]) != kChoices.pass) : out;
    }
    if (call == "personality") return refuse_if(low(a[0]) != 0 && low(a[0]) != -1);
    if (call == "sched_setscheduler") {
      const int policy = low(a[1]) & ~0x40000000;
      return refuse_if(policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE);
    }
    if (call == "setsockopt") {
      const int option = low(a[2]);
      return refuse_if(
          (low(a[1]) == 41 && option == 32) || (low(a[1]) == 1 && (option == 26 || option == 51)) ||
          (low(a[1]) == 6 && (option == 14 || option == 32 || option == 38)) ||
          (low(a[1]) == 0 && (option == 38 || option == 39 || option == 41)) ||
          ((low(a[1]) == 0 || low(a[1]) == 41) && (option == 43 || option == 46 || option == 48)));
    }
    if (call == "mmap") return no_memory_if((a[3] & 0x40000) != 0);
    if (call == "mincore") return no_memory_if(a[1] >> 32 != 0);
    if (call == "memfd_create" && (a[1] & 0x03ffffe0) != 0) return "EINVAL";
    if (call == "memfd_create") return (a[1] & 4) != 0 ? "ENOMEM" : ask_if((a[1] & 8) == 0);
    if (call == "shmget") return no_memory_if((a[2] & 04000) != 0);
    if (call == "socketpair") return low(a[0]) == AF_UNIX ? "allow" : "EAFNOSUPPORT";
    if (call == "socket") return make_socket(low(a[0]), low(a[1]) & 0xf, low(a[2]));
    return "allow";
  }

  static std::string control(uint32_t request) {
    for (const auto kind : {_IOW('X', 0, char[48]), _IOW(0x94, 0, char[4096])})
      if (request - static_cast<uint32_t>(kind) < 256) return "EPERM";
    if (request == FS_IOC_FSSETXATTR) return "EPERM";
    return ask_if(request == TIOCSTI || request == TIOCLINUX || request == TIOCSETD);
  }

  // Reading a limit is allowed, also another process's. What a limit was cannot be told by a call
  // that is not made.
  static std::string set_limit(int pid, int resource, uint64_t wanted, uint64_t former) {
    if (wanted == 0) return "allow";
    if (pid != 0) return "EPERM";
    if (resource == RLIMIT_CPU || resource == RLIMIT_FSIZE) return "ask";
    if (resource != RLIMIT_CORE) return "allow";
    return former == 0 ? "pretend" : "EPERM";
  }

  static std::string make_node(uint64_t mode) {
    if (S_ISCHR(mode & S_IFMT) || S_ISBLK(mode & S_IFMT)) return "ask";
    return refuse_if(set_id(mode));
  }

  static std::string make_socket(int family, int type, int protocol) {
    if (family == AF_UNIX) return "allow";
    if (family != AF_INET && family != AF_INET6) return "ask";
    if (type > 2) return "ask";
    if (protocol == 262) return "EPROTONOSUPPORT";
    return ask_if(protocol != 0 && protocol != 6 && protocol != 17);
  }
};

void compare(const Programs& programs, int number, Machine machine, const Arguments& arguments) {
  const std::string expected =
      number > kNewestSyscall ? "ENOSYS" : Oracle::decide(name_of(number, machine), arguments);
  ASSERT_EQ(word(together(programs, number, machine, arguments)), expected)
      << name_of(number, machine) << " (" << number << ") of "
      << (machine == Machine::kX86_64 ? "x86-64" : "aarch64") << " with " << arguments[0] << ", "
      << arguments[1] << ", " << arguments[2] << ", " << arguments[3] << ", " << arguments[4];
}

// proves: VLT-32, VLT-86
TEST(SeccompProgram, DecidesEveryCallOfBothMachinesAsWrittenDownASecondTime) {
  for (const Machine machine : kMachines) {
    const Programs programs = render(machine);
    for (int number = 0; number <= 600; ++number) {
      compare(programs, number, machine, {});
      for (size_t argument = 0; argument < 6; ++argument) {
        for (const uint64_t value : interesting()) {
          Arguments arguments{};
          arguments[argument] = value;
          compare(programs, number, machine, arguments);
        }
      }
    }
  }
}

TEST(SeccompProgram, DecidesAlikeForArgumentsTogether) {
  SeededRandom random(469);
  const auto pick = [&] { return interesting()[random.below(interesting().size())]; };
  for (const Machine machine : kMachines) {
    const Programs programs = render(machine);
    std::vector<int> with_arguments;
    for (const std::string_view name : {"socket",
                                        "openat",
                                        "open",
                                        "sendto",
                                        "sendmsg",
                                        "clone",
                                        "unshare",
                                        "mknodat",
                                        "ioctl",
                                        "fcntl",
                                        "personality",
                                        "sched_setscheduler",
                                        "socketpair",
                                        "fchmodat",
                                        "execve",
                                        "flock",
                                        "setsockopt",
                                        "seccomp",
                                        "prctl",
                                        "madvise",
                                        "fsetxattr",
                                        "fallocate",
                                        "preadv2",
                                        "landlock_create_ruleset",
                                        "landlock_add_rule"}) {
      if (const int number = syscall_number(name, machine).value(); number >= 0)
        with_arguments.push_back(number);
    }
    for (int round = 0; round < 3000; ++round) {
      const Arguments arguments = {pick(), pick(), pick(), pick(), pick(), pick()};
      for (const int number : with_arguments) compare(programs, number, machine, arguments);
    }
  }
}

}  // namespace
}  // namespace paddock::sandbox
