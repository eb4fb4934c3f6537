// The rendered programs, run without a kernel: every call, interesting arguments, both machines.
#include "node-agent/sandbox/seccomp_program.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/text.h"
#include "node-agent/sandbox/bpf_machine.h"

namespace paddock::sandbox {
namespace {

using Arguments = std::array<uint64_t, 6>;

constexpr LaunchChoices kChoices{.judge_exec = true, .pass = 0x1234abcd};
constexpr Machine kMachines[] = {Machine::kX86_64, Machine::kAarch64};

uint32_t answer(const SeccompProgram& program, int number, uint32_t arch,
                const Arguments& arguments) {
  seccomp_data data{};
  data.nr = number;
  data.arch = arch;
  std::ranges::copy(arguments, data.args);
  const auto result = run_bpf(program, data);
  EXPECT_TRUE(result.has_value()) << "not a valid program";
  return result.value_or(SECCOMP_RET_KILL_PROCESS);
}

struct Programs {
  SeccompProgram base;
  SeccompProgram launch;
};

Programs render(Machine machine) {
  auto base = render_base_filter(machine);
  auto launch = render_launch_filter(kChoices, machine);
  EXPECT_TRUE(base.ok() && launch.ok());
  return {base.value(), launch.value()};
}

// Of two programs the kernel takes the stricter answer: errno before a question before yes.
uint32_t together(const Programs& programs, int number, Machine machine,
                  const Arguments& arguments) {
  const auto arch = static_cast<uint32_t>(machine);
  return std::min(answer(programs.base, number, arch, arguments),
                  answer(programs.launch, number, arch, arguments));
}

std::string word(uint32_t answer) {
  if (answer == SECCOMP_RET_ALLOW) return "allow";
  if (answer == SECCOMP_RET_USER_NOTIF) return "ask";
  if (answer == (SECCOMP_RET_ERRNO | EPERM)) return "EPERM";
  if (answer == (SECCOMP_RET_ERRNO | ENOSYS)) return "ENOSYS";
  if (answer == (SECCOMP_RET_ERRNO | EAFNOSUPPORT)) return "EAFNOSUPPORT";
  if (answer == (SECCOMP_RET_ERRNO | EPROTONOSUPPORT)) return "EPROTONOSUPPORT";
  return cat("answer ", answer);
}

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
                                                 "lookup_dcookie",
                                                 "uselib",
                                                 "_sysctl",
                                                 "sysfs",
                                                 "ustat",
                                                 "kcmp",
                                                 "name_to_handle_at",
                                                 "clone3",
                                                 "openat2"};
    static const std::set<std::string> refused = {"sched_setattr", "vhangup",     "move_pages",
                                                  "migrate_pages", "userfaultfd", "modify_ldt",
                                                  "fanotify_init"};
    static const std::set<std::string> asked = {"setns",
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
                                                "execve",
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
  static std::string ask_if(bool condition) { return condition ? "ask" : "allow"; }

  static std::string by_arguments(const std::string& call, const Arguments& a) {
    constexpr uint64_t kSpaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                 CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
    if (call == "clone") return ask_if((a[0] & kSpaces) != 0);
    if (call == "unshare") return ask_if((a[0] & (kSpaces | 0x80)) != 0);
    if (call == "ioctl")
      return ask_if(low(a[1]) == TIOCSTI || low(a[1]) == TIOCLINUX || low(a[1]) == TIOCSETD);
    if (call == "sendto") return ask_if(a[4] != 0);
    if (call == "sendmsg") return ask_if(a[2] >> 32 != kChoices.pass);
    if (call == "chmod" || call == "fchmod" || call == "creat") return refuse_if(set_id(a[1]));
    if (call == "fchmodat" || call == "fchmodat2") return refuse_if(set_id(a[2]));
    if (call == "open") return refuse_if(creates(a[1]) && set_id(a[2]));
    if (call == "openat") return refuse_if(creates(a[2]) && set_id(a[3]));
    if (call == "mknod") return make_node(a[1]);
    if (call == "mknodat") return make_node(a[2]);
    if (call == "fcntl") return refuse_if(low(a[1]) == F_SETLEASE || low(a[1]) == F_NOTIFY);
    if (call == "personality") return refuse_if(low(a[0]) != 0 && low(a[0]) != -1);
    if (call == "sched_setscheduler") {
      const int policy = low(a[1]) & ~0x40000000;
      return refuse_if(policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE);
    }
    if (call == "socketpair") return low(a[0]) == AF_UNIX ? "allow" : "EAFNOSUPPORT";
    if (call == "socket") return make_socket(low(a[0]), low(a[1]) & 0xf, low(a[2]));
    return "allow";
  }

  static std::string make_node(uint64_t mode) {
    return refuse_if(set_id(mode) || S_ISCHR(mode & S_IFMT) || S_ISBLK(mode & S_IFMT));
  }

  static std::string make_socket(int family, int type, int protocol) {
    if (family == AF_UNIX) return "allow";
    if (family == AF_NETLINK && protocol == 0) return "EAFNOSUPPORT";
    if (family != AF_INET && family != AF_INET6) return "ask";
    if (type > 2) return "ask";
    if (protocol == 262) return "EPROTONOSUPPORT";
    return ask_if(protocol != 0 && protocol != 6 && protocol != 17);
  }
};

// Values at which some rule turns, each also with the upper half set.
const std::vector<uint64_t>& interesting() {
  static const std::vector<uint64_t> values = [] {
    std::vector<uint64_t> out = {0, ~uint64_t{0}, 0x1234abcd00004000, 0x1234abcc00000000};
    for (int bit = 0; bit < 32; ++bit) out.push_back(uint64_t{1} << bit);
    for (const uint64_t value : {uint64_t{2},
                                 uint64_t{3},
                                 uint64_t{5},
                                 uint64_t{6},
                                 uint64_t{10},
                                 uint64_t{17},
                                 uint64_t{40},
                                 uint64_t{132},
                                 uint64_t{262},
                                 uint64_t{TIOCSTI},
                                 uint64_t{TIOCLINUX},
                                 uint64_t{TIOCSETD},
                                 uint64_t{F_SETLEASE},
                                 uint64_t{F_NOTIFY},
                                 uint64_t{O_TMPFILE},
                                 uint64_t{O_CREAT | O_RDWR},
                                 uint64_t{S_ISUID | 0755},
                                 uint64_t{S_IFCHR | 0666},
                                 uint64_t{S_IFBLK | 0666},
                                 uint64_t{S_IFREG | 0666},
                                 uint64_t{S_IFSOCK},
                                 uint64_t{0x40000005},
                                 uint64_t{0x40000001},
                                 uint64_t{SIGCHLD},
                                 uint64_t{CLONE_NEWUSER | SIGCHLD},
                                 uint64_t{0xffffffff}}) {
      out.push_back(value);
    }
    const size_t count = out.size();
    for (size_t i = 0; i < count; ++i) out.push_back(out[i] | uint64_t{1} << 32);
    return out;
  }();
  return values;
}

// The name as the oracle knows it; what the library cannot name is `call N`.
std::string name_of(int number, Machine machine) {
  return syscall_name(number, static_cast<uint32_t>(machine));
}

void compare(const Programs& programs, int number, Machine machine, const Arguments& arguments) {
  const std::string expected =
      number > kNewestSyscall ? "ENOSYS" : Oracle::decide(name_of(number, machine), arguments);
  ASSERT_EQ(word(together(programs, number, machine, arguments)), expected)
      << name_of(number, machine) << " (" << number << ") of "
      << (machine == Machine::kX86_64 ? "x86-64" : "aarch64") << " with " << arguments[0] << ", "
      << arguments[1] << ", " << arguments[2] << ", " << arguments[3] << ", " << arguments[4];
}

// proves: VLT-32
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
    for (const std::string_view name :
         {"socket", "openat", "open", "sendto", "sendmsg", "clone", "unshare", "mknodat", "ioctl",
          "fcntl", "personality", "sched_setscheduler", "socketpair", "fchmodat"}) {
      if (const int number = syscall_number(name, machine).value(); number >= 0)
        with_arguments.push_back(number);
    }
    for (int round = 0; round < 3000; ++round) {
      const Arguments arguments = {pick(), pick(), pick(), pick(), pick(), pick()};
      for (const int number : with_arguments) compare(programs, number, machine, arguments);
    }
  }
}

// proves: VLT-86
TEST(SeccompProgram, AsksAboutEveryCallOfAnotherMachine) {
  const Programs intel = render(Machine::kX86_64);
  const Programs arm = render(Machine::kAarch64);
  for (int number = 0; number <= 600; ++number) {
    EXPECT_EQ(word(answer(intel.launch, number, AUDIT_ARCH_I386, {})), "ask");
    EXPECT_EQ(word(answer(intel.launch, number, AUDIT_ARCH_AARCH64, {})), "ask");
    EXPECT_EQ(word(answer(intel.launch, number | 0x40000000, AUDIT_ARCH_X86_64, {})), "ask");
    EXPECT_EQ(word(answer(arm.launch, number, AUDIT_ARCH_ARM, {})), "ask");
    // The base must not answer in its place, for it could not tell of it.
    EXPECT_EQ(word(answer(intel.base, number, AUDIT_ARCH_I386, {})), "allow");
    EXPECT_EQ(word(answer(intel.base, number | 0x40000000, AUDIT_ARCH_X86_64, {})), "allow");
  }
  for (const Machine machine : kMachines) {
    EXPECT_EQ(word(together(render(machine), -1, machine, {})), "ENOSYS");
  }
}

// A base that asked would need a listener, and a base that denied what building a sandbox needs
// would break the launcher that carries it.
TEST(SeccompProgram, LetsALauncherWithTheBaseBuildSandboxes) {
  for (const Machine machine : kMachines) {
    const Programs programs = render(machine);
    const auto arch = static_cast<uint32_t>(machine);
    for (const sock_filter& i : programs.base) {
      EXPECT_FALSE(i.code == (BPF_RET | BPF_K) && i.k == SECCOMP_RET_USER_NOTIF);
    }
    for (const std::string_view needed : {"clone3",
                                          "unshare",
                                          "setns",
                                          "mount",
                                          "umount2",
                                          "pivot_root",
                                          "fsopen",
                                          "fsconfig",
                                          "fsmount",
                                          "move_mount",
                                          "open_tree",
                                          "mount_setattr",
                                          "openat2",
                                          "seccomp",
                                          "keyctl",
                                          "capset",
                                          "prctl",
                                          "setresuid",
                                          "setgroups",
                                          "sethostname",
                                          "process_vm_readv",
                                          "pidfd_getfd",
                                          "pidfd_open",
                                          "pidfd_send_signal",
                                          "landlock_restrict_self",
                                          "quotactl_fd",
                                          "bpf",
                                          "execve",
                                          "execveat",
                                          "sendmsg",
                                          "socket"}) {
      const int number = syscall_number(needed, machine).value();
      Arguments all;
      all.fill(CLONE_NEWUSER | CLONE_NEWNS);
      EXPECT_EQ(word(answer(programs.base, number, arch, all)), "allow") << needed;
    }
  }
}

TEST(SeccompProgram, AsksAboutProgramsOnlyWhereToolsAreListed) {
  const auto program = render_launch_filter({.judge_exec = false, .pass = 1});
  ASSERT_TRUE(program.ok());
  const int number = syscall_number("execve", this_machine()).value();
  EXPECT_EQ(word(answer(*program, number, static_cast<uint32_t>(this_machine()), {})), "allow");
}

TEST(SeccompProgram, WithoutAPassLetsNoMessageThroughUnasked) {
  const auto program = render_launch_filter({});
  ASSERT_TRUE(program.ok());
  const int number = syscall_number("sendmsg", this_machine()).value();
  for (const uint64_t flags : interesting()) {
    EXPECT_EQ(word(answer(*program, number, static_cast<uint32_t>(this_machine()), {0, 0, flags})),
              "ask");
  }
}

// What asks about ordinary work would slow it down tenfold.
TEST(SeccompProgram, AsksNothingAboutFilesMemoryTimeAndPipes) {
  for (const Machine machine : kMachines) {
    const Programs programs = render(machine);
    for (const std::string_view call :
         {"read",          "write",     "openat",      "open",       "close",    "stat",
          "newfstatat",    "statx",     "lseek",       "mmap",       "mprotect", "munmap",
          "brk",           "futex",     "getdents64",  "readlinkat", "unlinkat", "renameat2",
          "pipe2",         "dup3",      "clone",       "wait4",      "execve",   "exit_group",
          "clock_gettime", "nanosleep", "epoll_wait",  "poll",       "recvmsg",  "recvfrom",
          "sendto",        "getrandom", "rt_sigaction"}) {
      if (call == "execve") continue;  // where tools are listed
      const int number = syscall_number(call, machine).value();
      if (number < 0) continue;
      EXPECT_EQ(word(together(programs, number, machine, {})), "allow") << call;
    }
  }
}

TEST(SeccompProgram, StaysSmallAndShallow) {
  for (const Machine machine : kMachines) {
    const Programs programs = render(machine);
    EXPECT_LE(programs.base.size(), 256u);
    EXPECT_LE(programs.launch.size(), 256u);
  }
}

TEST(SeccompProgram, RefusesATableWithAnUnknownCall) {
  const SyscallRule rules[] = {{"no_such_call", SyscallAction::kRefuse, "test"}};
  EXPECT_FALSE(render_seccomp(rules, SyscallAction::kForbidden).ok());
}

// Random tables render to programs that do what find_rule() says, near jumps and far ones.
TEST(SeccompProgram, MeansWhatItsTableSaysWhateverTheTableIs) {
  const std::vector<std::string> names = {"read",   "write", "mmap",  "openat", "socket",
                                          "fsopen", "mount", "prctl", "setns",  "statx"};
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SeededRandom random(seed);
    std::vector<SyscallRule> table;
    const auto test = [&]() -> WordTest {
      if (random.below(3) == 0) return {};
      return {static_cast<int>(random.below(6)), static_cast<WordTest::Is>(random.below(3)),
              static_cast<uint32_t>(1 + random.below(4)), random.below(2) == 0 ? ~0u : 6,
              random.below(2) == 0};
    };
    const uint64_t rules = 1 + random.below(200);
    for (uint64_t i = 0; i < rules; ++i) {
      SyscallRule rule{names[random.below(names.size())],
                       static_cast<SyscallAction>(random.below(5)), "test", test(), test()};
      if (rule.first.argument < 0) rule.second = {};
      table.push_back(rule);
    }
    const auto program = render_seccomp(table, SyscallAction::kForbidden);
    ASSERT_TRUE(program.ok());
    for (int round = 0; round < 500; ++round) {
      Arguments arguments;
      for (uint64_t& argument : arguments) argument = random.below(8) << (32 * random.below(2));
      const std::string& name = names[random.below(names.size())];
      const SyscallRule* rule = find_rule(table, name, arguments);
      const SyscallRule one[] = {
          {name, rule == nullptr ? SyscallAction::kAllow : rule->action, ""}};
      const int number = syscall_number(name, this_machine()).value();
      const auto arch = static_cast<uint32_t>(this_machine());
      ASSERT_EQ(answer(*program, number, arch, arguments),
                answer(*render_seccomp(one, SyscallAction::kForbidden), number, arch, {}))
          << "seed " << seed << ", " << name;
    }
  }
}

std::string describe(const WordTest& test) {
  const char* sign[] = {" == ", " != ", " & "};
  return test.argument < 0 ? ""
                           : cat("  [", test.argument, test.upper ? " upper" : "",
                                 test.mask == ~0u ? "" : cat(" & ", test.mask),
                                 sign[static_cast<int>(test.is)], test.value, "]");
}

// What every call gives when all its arguments are zero, and the rules behind it.
std::string decision_text() {
  std::ostringstream out;
  const Programs programs = render(Machine::kX86_64);
  for (int number = 0; number <= kNewestSyscall + 1; ++number) {
    const std::string verdict = word(together(programs, number, Machine::kX86_64, {}));
    if (verdict == "allow") continue;
    out << number << " " << name_of(number, Machine::kX86_64) << " " << verdict << "\n";
  }
  const char* actions[] = {"allow",           "EPERM",  "ENOSYS", "EAFNOSUPPORT",
                           "EPROTONOSUPPORT", "report", "judge",  "forbidden"};
  const auto list = [&](const char* name, std::span<const SyscallRule> table) {
    out << "\n" << name << "\n";
    for (const SyscallRule& rule : table) {
      out << rule.syscall << describe(rule.first) << describe(rule.second) << " -> "
          << actions[static_cast<int>(rule.action)] << ": " << rule.why << "\n";
    }
  };
  list("base", base_table());
  list("launch", launch_table(kChoices));
  return out.str();
}

TEST(SeccompProgram, DecidesAsTheGoldenFileSays) {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  if (source == nullptr) GTEST_SKIP() << "PADDOCK_SOURCE_DIR is not set";
  const std::string path = cat(source, "/tests/golden/syscalls.txt");
  if (std::getenv("PADDOCK_ACCEPT_GOLDEN") != nullptr) std::ofstream(path) << decision_text();
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(decision_text(), golden.str()) << "accept with PADDOCK_ACCEPT_GOLDEN=1";
}

}  // namespace
}  // namespace paddock::sandbox
