// The two tables and what they decide, as a file that a reviewer can read and compare.
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "node-agent/sandbox/linux/seccomp/seccomp_test_support.h"

namespace paddock::sandbox {
namespace {

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
  constexpr std::array actions = {"allow",        "pretend",         "EPERM",  "ENOSYS",
                                  "EAFNOSUPPORT", "EPROTONOSUPPORT", "ENOMEM", "EINVAL",
                                  "EOPNOTSUPP",   "report",          "judge",  "forbidden"};
  static_assert(actions.size() == static_cast<size_t>(SyscallAction::kForbidden) + 1);
  const auto list = [&](const char* name, std::span<const SyscallRule> table) {
    out << "\n" << name << "\n";
    for (const SyscallRule& rule : table) {
      out << rule.syscall << describe(rule.first) << describe(rule.second) << " -> "
          << actions[static_cast<size_t>(rule.action)] << ": " << rule.why << "\n";
    }
  };
  list("base", launcher_rules());
  list("launch", command_rules(kChoices));
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
