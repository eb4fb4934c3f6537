// The shape of the programs: foreign machines, what a launcher needs, what must stay unasked.
#include <linux/audit.h>

#include "common/base/random.h"
#include "node-agent/sandbox/linux/seccomp/seccomp_test_support.h"

namespace paddock::sandbox {
namespace {

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
                                          "kcmp",
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

TEST(SeccompProgram, AsksAboutEveryProgramThatDoesNotCarryThePass) {
  const auto asked = [](const LaunchChoices& choices, std::string_view call, uint64_t fourth) {
    const auto program = render_launch_filter(choices);
    const int number = syscall_number(call, this_machine()).value();
    return word(answer(program.value(), number, static_cast<uint32_t>(this_machine()),
                       {0, 0, 0, fourth})) == "ask";
  };
  const LaunchChoices passing{.judge_exec = true, .pass = 0x12345678};
  EXPECT_FALSE(asked(passing, "execve", 0x12345678));
  for (const uint64_t other :
       {uint64_t{0}, uint64_t{1}, uint64_t{0x12345679}, ~uint64_t{0}, uint64_t{0x12345678} << 32}) {
    EXPECT_TRUE(asked(passing, "execve", other)) << other;
  }
  EXPECT_TRUE(asked(passing, "execveat", 0x12345678));
  EXPECT_TRUE(asked({.judge_exec = true}, "execve", 0)) << "no pass is not the pass 0";
}

TEST(SeccompProgram, AsksAboutFilesInMemoryThatCouldBeExecutedOnlyWhereToolsAreListed) {
  const int number = syscall_number("memfd_create", this_machine()).value();
  const auto asked = [&](bool judge, uint64_t flags) {
    const auto program = render_launch_filter({.judge_exec = judge, .pass = 1});
    return word(answer(program.value(), number, static_cast<uint32_t>(this_machine()),
                       {0, flags})) == "ask";
  };
  constexpr uint64_t kCloseOnExec = 1, kNoExecSeal = 8, kExec = 16;
  EXPECT_TRUE(asked(true, 0));
  EXPECT_TRUE(asked(true, kCloseOnExec | kExec));
  EXPECT_TRUE(asked(true, kNoExecSeal << 32)) << "the kernel reads the lower half";
  EXPECT_FALSE(asked(true, kCloseOnExec | kNoExecSeal));
  EXPECT_FALSE(asked(false, kExec));
}

TEST(SeccompProgram, AsksAboutTheEndOfAProcessOnlyWhereItIsHeld) {
  for (const Machine machine : kMachines) {
    const auto arch = static_cast<uint32_t>(machine);
    const int number = syscall_number("exit_group", machine).value();
    for (const bool held : {false, true}) {
      const auto program = render_launch_filter({.hold_exit = held, .pass = 1}, machine);
      ASSERT_TRUE(program.ok());
      EXPECT_EQ(word(answer(*program, number, arch, {})), held ? "ask" : "allow");
    }
  }
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
    EXPECT_LE(programs.base.size(), 380u);
    EXPECT_LE(programs.launch.size(), 400u);
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

}  // namespace
}  // namespace paddock::sandbox
