#include "node-agent/sandbox/linux/exit_watch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

// A line as the kernel writes it: `flags` and `status` where proc(5) says.
std::string line(const std::string& name, int64_t flags, int64_t status) {
  std::string out = cat("71 (", name, ") Z 70 1 1 0 -1 ", flags);
  for (int field = 10; field < 52; ++field) out += " 0";
  return cat(out, " ", status, "\n");
}

constexpr int64_t kExiting = 0x4;

TEST(ExitWatch, ReadsTheStatusOfAProcessThatEnds) {
  EXPECT_EQ(status_of_ending(line("sh", kExiting, 0), 70), 0);
  EXPECT_EQ(status_of_ending(line("sh", kExiting | 0x400000, 3 << 8), 70), 3 << 8);
  EXPECT_EQ(status_of_ending(line("sh", kExiting, SIGKILL), 70), SIGKILL);
}

TEST(ExitWatch, SaysNothingOfOneThatRunsOrIsAnothers) {
  EXPECT_FALSE(status_of_ending(line("sh", 0x400000, 0), 70));
  EXPECT_FALSE(status_of_ending(line("sh", kExiting, 0), 69));
}

TEST(ExitWatch, BelievesNoStatusThatTheKernelHides) {
  std::string hidden = "71 (sh) Z 70 1 1 0 -1 4";
  for (int field = 10; field < 52; ++field) hidden += field == 26 ? " 1" : " 0";
  EXPECT_FALSE(status_of_ending(hidden + " 0\n", 70));
}

TEST(ExitWatch, IsNotFooledByANameAndReadsNoNonsense) {
  EXPECT_EQ(status_of_ending(line("x) Z 70 1 1 0 -1 4 0", kExiting, 9), 70), 9);
  EXPECT_FALSE(status_of_ending(line("x) Z 70 1 1 0 -1 4 0", 0, 0), 70));
  const std::string whole = line("sh", kExiting, 0);
  for (size_t end = 0; end + 2 < whole.size(); ++end)
    EXPECT_FALSE(status_of_ending(whole.substr(0, end), 70)) << end;
  EXPECT_FALSE(status_of_ending(line("sh", kExiting, -1), 70));
  EXPECT_FALSE(status_of_ending(line("sh", kExiting, 1 << 16), 70));
}

TEST(ExitWatch, FollowsTheOnlyChildToItsEnd) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const ExitWatch watch(getpid());
  const auto before = watch.wait_status();
  kill(child, SIGKILL);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);  // it stays to be looked at
  const auto after = watch.wait_status();
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(before);
  if (access(cat("/proc/self/task/", getpid(), "/children").c_str(), R_OK) != 0)
    GTEST_SKIP() << "this kernel does not list the children of a process";
  EXPECT_EQ(after, SIGKILL);
  EXPECT_FALSE(watch.wait_status()) << "it is gone, whoever has its number now";
}

}  // namespace
}  // namespace paddock::sandbox
