#include "node-agent/sandbox/macos/group_supervisor.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::HasSubstr;

GroupUse nobody(pid_t) { return {}; }

// A first process that says one line and ends, while somebody else still holds its pipe.
class GroupSupervisorTest : public testing::Test {
 protected:
  Outcome after(std::string_view line, int exit_code) {
    os::Pipe witness = *os::make_pipe();
    EXPECT_EQ(fcntl(witness.read.get(), F_SETFL, O_NONBLOCK), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      (void)os::write_all(witness.write.get(), line);
      _exit(exit_code);
    }
    EXPECT_GT(pid, 0);
    siginfo_t ended{};
    EXPECT_EQ(waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT), 0);
    EventWriter events(os::Fd(open("/dev/null", O_WRONLY | O_CLOEXEC)), clock_);
    SignalPipe signals = *SignalPipe::make();
    ConfinedGroup group{pid, std::move(witness.read), {}, {}, {}};
    return GroupSupervisor(std::move(group), plan_, events, clock_, nobody, signals, 0).run();
  }

  SystemClock clock_;
  SeatbeltPlan plan_;
};

TEST_F(GroupSupervisorTest, HearsWhyNothingStartedThoughThePipeIsStillOpen) {
  const Outcome outcome = after("failed entering workdir: no\n", 127);
  const auto* failed = std::get_if<outcome::SetupFailed>(&outcome);
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("entering workdir"));
}

TEST_F(GroupSupervisorTest, TellsACommandThatRanFromOneThatNeverStartedThoughThePipeIsStillOpen) {
  const Outcome outcome = after("confined\n", 3);
  const auto* ended = std::get_if<outcome::Ended>(&outcome);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(WEXITSTATUS(ended->wait_status.value_or(-1)), 3);
}

}  // namespace
}  // namespace paddock::sandbox
