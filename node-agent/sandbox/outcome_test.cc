#include "node-agent/sandbox/outcome.h"

#include <errno.h>
#include <signal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;

SandboxResult result_of(const Outcome& outcome, std::optional<Millis> cpu_limit = std::nullopt) {
  SandboxResult result;
  classify(outcome, cpu_limit, "cmd", result);
  return result;
}

outcome::Ended exited(int code) { return {.wait_status = code << 8}; }
outcome::Ended signaled(int signal) { return {.wait_status = signal}; }

// proves: VLT-43, VLT-51
TEST(Outcome, KeepsTheProgramsOwnCode) {
  EXPECT_EQ(result_of(exited(0)).status, SandboxStatus::kOk);
  const SandboxResult failed = result_of(exited(5));
  EXPECT_EQ(failed.status, SandboxStatus::kFailed);
  EXPECT_EQ(failed.rc, 5);
}

// proves: VLT-44
TEST(Outcome, TellsATimeoutFromACancel) {
  const SandboxResult timeout = result_of(outcome::Ended{.cause = EndCause::kWallTime});
  EXPECT_EQ(timeout.rc, 124);
  EXPECT_EQ(timeout.error_class, "TIMEOUT");
  const SandboxResult canceled = result_of(outcome::Ended{.cause = EndCause::kCanceled});
  EXPECT_EQ(canceled.rc, 143);
  EXPECT_EQ(canceled.error_class, "CANCELLED");
}

TEST(Outcome, TellsTheCpuLimitByTimeUsedEvenIfTheSignalWasIgnored) {
  outcome::Ended ended = signaled(SIGKILL);
  ended.main_cpu = Millis(2100);
  EXPECT_EQ(result_of(ended, Millis(2000)).status, SandboxStatus::kCpuLimit);
  EXPECT_EQ(result_of(ended, Millis(5000)).status, SandboxStatus::kKilledKill);
  EXPECT_EQ(result_of(signaled(SIGXCPU)).rc, 152);
}

TEST(Outcome, TellsTheMemoryLimitByTheKernelsEventOnly) {
  outcome::Ended ended = signaled(SIGKILL);
  EXPECT_EQ(result_of(ended).status, SandboxStatus::kKilledKill);
  ended.readings.oom_kills = 1;
  const SandboxResult result = result_of(ended);
  EXPECT_EQ(result.status, SandboxStatus::kMemLimit);
  EXPECT_EQ(result.rc, 137);
  EXPECT_EQ(result.code, "E_LIMIT_MEMORY");
}

TEST(Outcome, MapsSignals) {
  EXPECT_EQ(result_of(signaled(SIGTERM)).status, SandboxStatus::kKilledTerm);
  EXPECT_EQ(result_of(signaled(SIGSYS)).status, SandboxStatus::kForbiddenSyscall);
  EXPECT_EQ(result_of(signaled(SIGSYS)).rc, 159);
  EXPECT_EQ(result_of(signaled(SIGXFSZ)).code, "E_LIMIT_FS");
  EXPECT_EQ(result_of(signaled(SIGSEGV)).rc, 139);
}

TEST(Outcome, UsesShellCodesForWhatCannotBeExecuted) {
  EXPECT_EQ(result_of(outcome::NotExecutable{ENOENT}).rc, 127);
  EXPECT_EQ(result_of(outcome::NotExecutable{EACCES}).rc, 126);
}

TEST(Outcome, NamesTheStepThatFailed) {
  const SandboxResult result = result_of(outcome::SetupFailed{system_error("pivot_root", EPERM)});
  EXPECT_EQ(result.status, SandboxStatus::kInternalError);
  EXPECT_THAT(result.reason, testing::HasSubstr("pivot_root"));
}

// proves: WSM-37
TEST(Outcome, GivesATooLongCommandItsOwnCode) {
  const SandboxResult result =
      result_of(outcome::Refused{{Code::kTooLarge, "COMMAND_TOO_LARGE", "too long"}});
  EXPECT_EQ(result.status, SandboxStatus::kLimitExceeded);
  EXPECT_EQ(result.code, "E_LIMIT_COMMAND");
}

}  // namespace
}  // namespace paddock::sandbox
