// What the system call filter says about each call, as tables that read like the policy. A call
// that no rule names is allowed: namespaces, capabilities and mounts do the rest. Calls younger
// than the tables do not exist inside. If a call has several rules, the first that applies decides.
//
// Which answer: "no such call" where libraries ask and then do without; "not permitted" where a
// program should be told, and the result tells too; the end of the process where no honest program
// ever goes.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace paddock::sandbox {

enum class SyscallAction {
  kAllow,        // an exception to the rules after it
  kPretend,      // answers success, and does nothing
  kRefuse,       // EPERM
  kUnknown,      // ENOSYS
  kNoFamily,     // EAFNOSUPPORT
  kNoProtocol,   // EPROTONOSUPPORT
  kNoMemory,     // ENOMEM
  kInvalid,      // EINVAL
  kUnsupported,  // EOPNOTSUPP
  // Asked of the supervisor (linux/notify/notifications.h), so that the result can tell of it:
  kReport,     // EPERM
  kJudge,      // depends on an address, a socket, a file name or the policy
  kForbidden,  // the process is killed
};

// A test of 32 bits of one argument, its lower half unless `upper`: where the kernel reads an int,
// the upper half must not matter.
struct WordTest {
  enum class Is { kEqual, kDifferent, kAnyBit };
  int argument = -1;  // none: always true
  Is is = Is::kEqual;
  uint32_t value = 0;
  uint32_t mask = ~0u;
  bool upper = false;
};
constexpr WordTest any_bit(int argument, uint32_t bits) {
  return {argument, WordTest::Is::kAnyBit, bits};
}
constexpr WordTest equal(int argument, uint32_t value, uint32_t mask = ~0u) {
  return {argument, WordTest::Is::kEqual, value, mask};
}

// A file type in a mode: S_IFCHR or S_IFBLK, which differ in one bit.
constexpr WordTest device(int argument) {
  return equal(argument, S_IFCHR & S_IFBLK, S_IFMT & ~uint32_t{S_IFCHR ^ S_IFBLK});
}

struct SyscallRule {
  std::string_view syscall;
  SyscallAction action = SyscallAction::kRefuse;
  std::string_view why;
  WordTest first = {};
  WordTest second = {};  // both must hold
};

inline constexpr int kNewestSyscall = 469;  // file_setattr, Linux 6.17

// Rules on calls that neither the launcher nor the sandbox's init ever makes: a launcher that
// serves many runs takes them on itself once, and every process that it starts has them. They ask
// nothing.
std::span<const SyscallRule> launcher_rules();

struct LaunchChoices {
  bool judge_exec = false;  // a run with a `tools` policy
  bool hold_exit = false;   // a process that ends is asked about before it is taken apart
  // What nobody is asked about: the message with which the child hands over the filter's own
  // descriptor, as that cannot be (in the upper half of sendmsg's flags), the execution of a
  // command that was found to be one of the tools (in a fourth argument), and the limits that the
  // policy sets (in a fifth one). The kernel ignores all three. Random for each launcher, else it
  // could be guessed.
  uint32_t pass = 0;
};
// The rules on calls that building a sandbox needs and the command must not make, and on all calls
// that are asked about.
std::vector<SyscallRule> command_rules(const LaunchChoices& choices);

// The rule that decides on a call with these arguments; nothing if none names it.
const SyscallRule* find_rule(std::span<const SyscallRule> table, std::string_view syscall,
                             std::span<const uint64_t, 6> arguments);

}  // namespace paddock::sandbox
