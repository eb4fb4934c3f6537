// Runs the rendered programs without a kernel, for tests.
#pragma once

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/seccomp/bpf_machine.h"
#include "node-agent/sandbox/linux/seccomp/seccomp_program.h"

namespace paddock::sandbox {

using Arguments = std::array<uint64_t, 6>;

inline constexpr LaunchChoices kChoices{.judge_exec = true, .pass = 0x1234abcd};
inline constexpr Machine kMachines[] = {Machine::kX86_64, Machine::kAarch64};

inline uint32_t answer(const SeccompProgram& program, int number, uint32_t arch,
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

inline Programs render(Machine machine) {
  auto base = render_base_filter(machine);
  auto launch = render_launch_filter(kChoices, machine);
  EXPECT_TRUE(base.ok() && launch.ok());
  return {base.value(), launch.value()};
}

// The kernel takes the stricter of two programs' answers: an errno before a question, and a
// question before a yes.
inline uint32_t together(const Programs& programs, int number, Machine machine,
                         const Arguments& arguments) {
  const auto arch = static_cast<uint32_t>(machine);
  return std::min(answer(programs.base, number, arch, arguments),
                  answer(programs.launch, number, arch, arguments));
}

inline std::string word(uint32_t answer) {
  if (answer == SECCOMP_RET_ALLOW) return "allow";
  if (answer == SECCOMP_RET_USER_NOTIF) return "ask";
  if (answer == SECCOMP_RET_ERRNO) return "pretend";
  if (answer == (SECCOMP_RET_ERRNO | EPERM)) return "EPERM";
  if (answer == (SECCOMP_RET_ERRNO | ENOSYS)) return "ENOSYS";
  if (answer == (SECCOMP_RET_ERRNO | EAFNOSUPPORT)) return "EAFNOSUPPORT";
  if (answer == (SECCOMP_RET_ERRNO | EPROTONOSUPPORT)) return "EPROTONOSUPPORT";
  if (answer == (SECCOMP_RET_ERRNO | ENOMEM)) return "ENOMEM";
  if (answer == (SECCOMP_RET_ERRNO | EINVAL)) return "EINVAL";
  if (answer == (SECCOMP_RET_ERRNO | EOPNOTSUPP)) return "EOPNOTSUPP";
  return cat("answer ", answer);
}

// Values at which some rule turns, each also with the upper half set.
inline const std::vector<uint64_t>& interesting() {
  static const std::vector<uint64_t> values = [] {
    std::vector<uint64_t> out = {0, ~uint64_t{0}, 0x1234abcd, 0x1234abcd00004000,
                                 0x1234abcc00000000};
    for (int bit = 0; bit < 32; ++bit) out.push_back(uint64_t{1} << bit);
    for (const uint64_t value : {uint64_t{2},
                                 uint64_t{3},
                                 uint64_t{5},
                                 uint64_t{6},
                                 uint64_t{10},
                                 uint64_t{12},
                                 uint64_t{17},
                                 uint64_t{37},
                                 uint64_t{38},
                                 uint64_t{PR_SET_SECCOMP},
                                 uint64_t{40},
                                 uint64_t{132},
                                 uint64_t{262},
                                 uint64_t{TIOCSTI},
                                 uint64_t{TIOCLINUX},
                                 uint64_t{TIOCSETD},
                                 uint64_t{0x40305828},
                                 uint64_t{0x401c5820},
                                 uint64_t{0x4030582a},
                                 uint64_t{0x50009401},
                                 uint64_t{0x500094ff},
                                 uint64_t{0x50009500},
                                 uint64_t{62},
                                 uint64_t{67},
                                 uint64_t{F_SETLEASE},
                                 uint64_t{F_NOTIFY},
                                 uint64_t{O_TMPFILE},
                                 uint64_t{O_CREAT | O_RDWR},
                                 uint64_t{S_ISUID | 0755},
                                 uint64_t{S_IFCHR | 0666},
                                 uint64_t{S_IFBLK | 0666},
                                 uint64_t{S_IFCHR | S_ISUID | 0666},
                                 uint64_t{S_IFBLK | S_ISGID | 0666},
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
inline std::string name_of(int number, Machine machine) {
  return syscall_name(number, static_cast<uint32_t>(machine));
}

}  // namespace paddock::sandbox
