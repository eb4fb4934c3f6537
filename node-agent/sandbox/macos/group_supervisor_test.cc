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
    ConfinedGroup group{pid, std::move(witness.read), std::move(out_), {}, {}};
    GroupSupervisor supervisor(std::move(group), plan_, events, clock_, nobody, signals, 0);
    Outcome outcome = supervisor.run();
    supervisor.describe(result_);
    return outcome;
  }

  SystemClock clock_;
  SeatbeltPlan plan_;
  os::Fd out_;
  contracts::SandboxResult result_;
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

// As a pipe is that others fill faster than it is read: never empty, and its end never comes.
TEST_F(GroupSupervisorTest, IsNotKeptByWhoeverLeftTheGroupAndGoesOnWriting) {
  out_.reset(open("/dev/zero", O_RDONLY | O_CLOEXEC));
  const Outcome outcome = after("confined\n", 3);
  EXPECT_NE(std::get_if<outcome::Ended>(&outcome), nullptr);
  EXPECT_EQ(result_.usage.stdout_bytes, 1 << 20);
}

// And what the command wrote before its end is there, whoever has the pipe open.
TEST_F(GroupSupervisorTest, HasWhatThePipeHeldThoughItIsStillOpen) {
  os::Pipe out = *os::make_pipe();
  ASSERT_TRUE(os::write_all(out.write.get(), "said before").ok());
  out_ = std::move(out.read);
  const Outcome outcome = after("confined\n", 3);
  EXPECT_NE(std::get_if<outcome::Ended>(&outcome), nullptr);
  EXPECT_EQ(result_.usage.stdout_bytes, 11);
}

}  // namespace
}  // namespace paddock::sandbox
