// A run ordered ahead: all of it is there before the last argument of its command, and none of it
// runs.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/os/packet_socket.h"
#include "tests/adversarial/attached_run_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;

class Prelaunch : public AttachedRun {
 protected:
  // It listens for a cancel then, and never before.
  static bool awaits_the_word(pid_t launcher) {
    const std::string folder = cat("/proc/", launcher, "/fd");
    const auto names = os::list_dir(folder);
    EXPECT_TRUE(names.ok());
    return names.ok() && std::ranges::any_of(*names, [&](const std::string& name) {
             std::array<char, 64> text{};
             const ssize_t n = readlink(cat(folder, "/", name).c_str(), text.data(), text.size());
             return std::string_view(text.data(), n > 0 ? static_cast<size_t>(n) : 0) ==
                    "anon_inode:[signalfd]";
           });
  }
  static void wait_until_it_awaits_the_word(const Fed& fed) {
    const SystemClock clock;
    const MonoTime until = clock.mono() + kLong;
    while (!awaits_the_word(fed.run.launcher)) ASSERT_LT(clock.mono(), until);
  }
  contracts::LaunchRequest shell() { return request({"sh", "-c"}); }
  contracts::SandboxResult end_of(const contracts::LaunchRequest& launch, std::string_view word,
                                  Millis wall_time = kLong) {
    auto fed = prelaunch(launch);
    EXPECT_TRUE(fed.ok() && launch::begin_prelaunched(fed->run, wall_time, word).ok());
    return fed.ok() ? result_of(*fed) : contracts::SandboxResult();
  }
};
INSTANTIATE_TEST_SUITE_P(, Prelaunch, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Prelaunch, RunsTheWholeCommandAsAnyOtherRunWould) {
  const auto result = end_of(shell(), "echo \"$0 $#\"; read line || echo no input; exit 3");
  EXPECT_EQ(result.status, SandboxStatus::kFailed) << result.reason;
  EXPECT_EQ(result.rc, 3);
  EXPECT_EQ(result.out, "sh 0\nno input\n");
  EXPECT_EQ(result.cmd.size(), 3u);
  for (const auto& [name, enforced] : result.enforced)
    EXPECT_EQ(enforced.applied, enforced.level != contracts::EnforcementLevel::kNone) << name;
}

// What changes between order and word is what the command finds.
TEST_P(Prelaunch, SeesAndIsBoundedByTheWorkspaceAsItIsWhenItBegins) {
  auto launch = shell();
  launch.whole_workspace = true;
  launch.policy.limits.file_count = 3;
  auto fed = prelaunch(launch);
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  ASSERT_TRUE(os::write_file_atomic(workspace() + "/later", "it is here", 0644).ok());
  ASSERT_TRUE(
      launch::begin_prelaunched(fed->run, kLong, "cat later; touch 1 2 3 4; sleep 1000").ok());
  const auto result = result_of(*fed);
  EXPECT_EQ(result.out, "it is here") << result.err;
  EXPECT_EQ(result.status, SandboxStatus::kLimitExceeded) << result.reason;
  EXPECT_EQ(result.code, "E_LIMIT_FILES");
}

// proves: WSM-29
TEST_P(Prelaunch, HasItsTimeFromTheWordOnAndThePolicysIsTheMost) {
  auto launch = shell();
  for (const Millis time : kBriefTimes) {
    launch.policy.limits.wall_time = wire::Duration{time};
    auto fed = prelaunch(launch);
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_NO_FATAL_FAILURE(wait_until_another_has_used_up(time));
    ASSERT_TRUE(launch::begin_prelaunched(fed->run, kLong, "echo in time").ok());
    const auto result = result_of(*fed);
    // Whoever waits for a processor as long as that has more time.
    if (result.status == SandboxStatus::kTimeout && time != kBriefTimes.back()) continue;
    EXPECT_EQ(result.out, "in time\n") << result.reason;
    EXPECT_LT(result.duration_ms, time.count());
    break;
  }
  launch.policy.limits.wall_time = wire::Duration{Millis(300)};
  EXPECT_EQ(end_of(launch, "sleep 1000").status, SandboxStatus::kTimeout);
  EXPECT_EQ(end_of(shell(), "sleep 1000", Millis(300)).status, SandboxStatus::kTimeout);
}

TEST_P(Prelaunch, IsCanceledLikeAnyOtherWhileItWaits) {
  auto fed = prelaunch(shell());
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  wait_until_it_awaits_the_word(*fed);
  ASSERT_EQ(kill(fed->run.launcher, SIGTERM), 0);
  EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled);
}

TEST_P(Prelaunch, EndsWithItsClientBeforeAndAfterTheWord) {
  for (const bool begun : {false, true}) {
    auto launch = shell();
    launch.cancel_grace_ms = 0;
    auto fed = prelaunch(launch);
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    if (begun) {
      ASSERT_TRUE(launch::begin_prelaunched(fed->run, kLong, "touch ran; sleep 1000").ok());
    }
    fed->run.connection.reset();
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled);
    if (!begun) {
      EXPECT_FALSE(os::exists(workspace() + "/ran"));
    }
  }
}

TEST_P(Prelaunch, ExecutesNothingForAnyOtherWord) {
  const os::Fd folder(open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const int no_file = folder.get();
  for (const auto& [text, fds] : {std::pair<const char*, std::vector<int>>{"begin 1000", {}},
                                  {"begin 1000", {no_file}},
                                  {"begin x\ny", {}},
                                  {"begin -1\ny", {}},
                                  {"\nbegin 1000", {}},
                                  {"stop", {}}}) {
    auto fed = prelaunch(request({"touch", "ran"}));
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_TRUE(os::send_packet(fed->run.connection.get(), text, fds).ok());
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled) << text;
  }
  EXPECT_FALSE(os::exists(workspace() + "/ran"));
}

// A long one travels another way.
TEST_P(Prelaunch, TakesALastArgumentOfAnyLength) {
  for (const size_t length : {size_t{0}, size_t{3'000}, size_t{4'090}, size_t{50'000}}) {
    const std::string word = cat("printf 'a\nb'\n#", std::string(length, 'x'));
    EXPECT_EQ(end_of(shell(), word).out, "a\nb") << length;
  }
  EXPECT_EQ(end_of(shell(), "").status, SandboxStatus::kOk);
}

// proves: WSM-35
TEST_P(Prelaunch, RefusesALastArgumentThatNoCommandMayHave) {
  auto launch = shell();
  EXPECT_THAT(end_of(launch, std::string_view("true\0x", 6)).reason,
              testing::HasSubstr("INVALID_COMMAND"));
  launch.policy.limits.command_bytes = wire::Quantity{100};
  const auto result = end_of(launch, std::string(200, 'x'));
  EXPECT_EQ(result.status, SandboxStatus::kLimitExceeded);
  EXPECT_EQ(result.code, "E_LIMIT_COMMAND");
}

// What was made ready is made anew if it does not hold any more.
TEST_P(Prelaunch, RunsEvenIfWhatWasMadeReadyIsGone) {
  auto fed = prelaunch(shell());
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  wait_until_it_awaits_the_word(*fed);
  const std::vector<pid_t> inside = children_of(fed->run.launcher);
  if (inside.empty()) GTEST_SKIP() << "launchers of this host make nothing ready ahead";
  for (const pid_t pid : inside) kill(pid, SIGKILL);
  wait_until_gone(inside);
  ASSERT_TRUE(launch::begin_prelaunched(fed->run, kLong, "echo it runs").ok());
  const auto result = result_of(*fed);
  EXPECT_EQ(result.status, SandboxStatus::kOk) << result.reason;
  EXPECT_EQ(result.out, "it runs\n");
}

}  // namespace
}  // namespace paddock::adversarial
