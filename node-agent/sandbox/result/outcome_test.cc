#include "node-agent/sandbox/result/outcome.h"

#include <errno.h>
#include <signal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;

SandboxResult result_of(const Outcome& outcome, const Bounds& bounds = {}) {
  SandboxResult result;
  classify(outcome, bounds, "cmd", result);
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

// proves partly: VLT-45
TEST(Outcome, TellsTheCpuLimitByTimeUsedWhateverTheProgramMadeOfTheSignal) {
  const Bounds two_seconds{.cpu_time = Millis(2000)};
  for (const int status : {int{SIGKILL}, 152 << 8, 0}) {
    outcome::Ended ended{.wait_status = status, .main_cpu = Millis(2100)};
    EXPECT_EQ(result_of(ended, two_seconds).status, SandboxStatus::kCpuLimit) << status;
    EXPECT_EQ(result_of(ended, two_seconds).rc, 152);
    EXPECT_EQ(result_of(ended, two_seconds).code, "E_LIMIT_CPU");
    EXPECT_NE(result_of(ended, {.cpu_time = Millis(5000)}).status, SandboxStatus::kCpuLimit);
    ended.main_cpu = Millis(0);
    ended.readings.cpu = Millis(2000);  // of all processes
    EXPECT_EQ(result_of(ended, two_seconds).status, SandboxStatus::kCpuLimit) << status;
  }
}

TEST(Outcome, TakesTheCpuSignalForTheKernelsOnlyIfTimeWasUsed) {
  outcome::Ended ended = signaled(SIGXCPU);
  ended.main_cpu = Millis(1990);
  EXPECT_EQ(result_of(ended, {.cpu_time = Millis(2000)}).status, SandboxStatus::kCpuLimit);
  ended.main_cpu = Millis(10);  // kill -XCPU $$
  EXPECT_EQ(result_of(ended, {.cpu_time = Millis(2000)}).status, SandboxStatus::kFailed);
  EXPECT_EQ(result_of(ended).rc, 152);
  EXPECT_EQ(result_of(ended).error_class, std::nullopt);
}

TEST(Outcome, WhatSocketsHoldIsMemoryWhateverTheKernelCounts) {
  outcome::Ended ended = signaled(SIGKILL);
  ended.cause = EndCause::kSockets;
  ended.readings.memory_limit_hits = 0;
  const SandboxResult result = result_of(ended);
  EXPECT_EQ(result.status, SandboxStatus::kMemLimit);
  EXPECT_EQ(result.code, "E_LIMIT_MEMORY");
  EXPECT_THAT(result.reason, testing::HasSubstr("sockets"));
}

TEST(Outcome, SoIsWhatAProcessShares) {
  outcome::Ended ended = signaled(SIGKILL);
  ended.cause = EndCause::kSharedMemory;
  const SandboxResult result = result_of(ended);
  EXPECT_EQ(result.status, SandboxStatus::kMemLimit);
  EXPECT_EQ(result.code, "E_LIMIT_MEMORY");
  EXPECT_THAT(result.reason, testing::HasSubstr("what one process shares"));
}

TEST(Outcome, SoIsWhatLocksTake) {
  outcome::Ended ended = signaled(SIGKILL);
  ended.cause = EndCause::kLocks;
  const SandboxResult result = result_of(ended);
  EXPECT_EQ(result.status, SandboxStatus::kMemLimit);
  EXPECT_EQ(result.code, "E_LIMIT_MEMORY");
  EXPECT_THAT(result.reason, testing::HasSubstr("more than 131072 locks"));
}

TEST(Outcome, SoIsWhatIsKeptForOpenFolders) {
  outcome::Ended ended = signaled(SIGKILL);
  ended.cause = EndCause::kFolders;
  const SandboxResult result = result_of(ended);
  EXPECT_EQ(result.status, SandboxStatus::kMemLimit);
  EXPECT_EQ(result.code, "E_LIMIT_MEMORY");
  EXPECT_THAT(result.reason, testing::HasSubstr("open folders"));
}

// proves partly: VLT-46, VLT-48
TEST(Outcome, TellsTheMemoryLimitByTheKernelsEventOnly) {
  outcome::Ended ended = signaled(SIGKILL);
  EXPECT_EQ(result_of(ended).status, SandboxStatus::kKilledKill);
  ended.readings.oom_kills = 1;
  const SandboxResult result = result_of(ended);
  EXPECT_EQ(result.status, SandboxStatus::kMemLimit);
  EXPECT_EQ(result.rc, 137);
  EXPECT_EQ(result.code, "E_LIMIT_MEMORY");
  ended.wait_status = 0;  // a child was killed, its parent ended well
  EXPECT_EQ(result_of(ended).status, SandboxStatus::kMemLimit);
  ended.readings.memory_limit_hits = 3;
  EXPECT_EQ(result_of(ended).status, SandboxStatus::kMemLimit);
  ended.readings.memory_limit_hits = 0;
  EXPECT_EQ(result_of(ended).status, SandboxStatus::kKilledKill);
  EXPECT_THAT(result_of(ended).reason, testing::HasSubstr("host"));
}

// proves partly: WSM-31, WSM-32, WSM-37
TEST(Outcome, NamesTheLimitThatWasUsedUpWhenTheCommandFailed) {
  const Bounds bounds{.pids = 32};
  const auto code = [&](const outcome::Ended& ended) {
    const SandboxResult result = result_of(ended, bounds);
    if (result.status == SandboxStatus::kLimitExceeded) {
      EXPECT_EQ(result.rc, 153);
      EXPECT_EQ(result.error_class, "LIMIT_EXCEEDED");
    }
    return result.code.value_or("none");
  };
  outcome::Ended ended = exited(3);
  ended.readings.peak_pids = 31;
  EXPECT_EQ(code(ended), "none");
  ended.readings.peak_pids = 32;
  EXPECT_EQ(code(ended), "E_LIMIT_PIDS");
  EXPECT_THAT(result_of(ended, bounds).reason, testing::HasSubstr("exited with 3"));
  ended.readings.peak_pids.reset();
  ended.readings.pids_refused = 1;
  EXPECT_EQ(code(ended), "E_LIMIT_PIDS");
  ended.readings = {};
  ended.scratch.bytes_full = true;
  EXPECT_EQ(code(ended), "E_LIMIT_FS");
  ended.scratch.files_full = true;
  EXPECT_EQ(code(ended), "E_LIMIT_FILES");
  ended.wait_status = SIGABRT;
  EXPECT_EQ(code(ended), "E_LIMIT_FILES");
  for (const int status : {int{SIGTERM}, int{SIGKILL}}) {
    ended.wait_status = status;
    EXPECT_EQ(code(ended), "none") << status;  // somebody ended it
  }
}

// It may have gone on without what it could not write.
TEST(Outcome, NamesAFullScratchSpaceOfACommandThatEndedWell) {
  outcome::Ended ended = exited(0);
  ended.scratch.bytes_full = true;
  SandboxResult result = result_of(ended);
  remark({.output_cut = true}, result);
  EXPECT_EQ(result.status, SandboxStatus::kOk);
  EXPECT_EQ(result.rc, 0);
  EXPECT_EQ(result.error_class, std::nullopt);
  EXPECT_EQ(result.code, "E_LIMIT_FS");
  ended.scratch.files_full = true;
  EXPECT_EQ(result_of(ended).code, "E_LIMIT_FILES");
  ended = exited(0);
  ended.readings.pids_refused = 1;
  EXPECT_EQ(result_of(ended).code, std::nullopt);
}

// proves partly: WSM-26, WSM-65, WSM-70
TEST(Remarks, MakeADeniedFailureADenialAndLeaveASuccessAlone) {
  const auto remarked = [](const outcome::Ended& ended, bool denied, bool cut = false) {
    SandboxResult result = result_of(ended);
    if (denied) result.denials.emplace_back();
    remark({.output_cut = cut}, result);
    return cat(wire::enum_name(result.status), " ", result.rc, " ",
               result.error_class.value_or("-"), " ", result.code.value_or("-"));
  };
  EXPECT_EQ(remarked(exited(0), true), "OK 0 - -");
  EXPECT_EQ(remarked(exited(4), false), "FAILED 4 - -");
  EXPECT_EQ(remarked(exited(4), true), "FAILED 4 CAPABILITY_DENIED E_CAPABILITY_DENIED");
  EXPECT_EQ(remarked(exited(4), true, true), "FAILED 4 CAPABILITY_DENIED E_CAPABILITY_DENIED");
  EXPECT_EQ(remarked(exited(0), false, true), "OK 0 - E_LIMIT_OUTPUT");
  EXPECT_EQ(remarked(exited(4), false, true), "FAILED 4 - E_LIMIT_OUTPUT");
  EXPECT_EQ(remarked({.cause = EndCause::kWallTime}, true, true), "TIMEOUT 124 TIMEOUT -");
}

// proves partly: VLT-88
// proves partly: ORB-117
TEST(Remarks, NameTheLimitThatAFailedCommandComplainsOf) {
  SandboxResult result;
  result.policy.emplace().limits.address_space = wire::Quantity{256 << 20};
  result.status = SandboxStatus::kFailed;
  result.reason = "exited with 1";
  result.err = "a\nMemoryError\n";
  remark({}, result);
  EXPECT_THAT(result.reason, testing::StartsWith("exited with 1; "));
  EXPECT_THAT(result.reason, testing::EndsWith(" 256Mi (limits.addressSpace)"));
  EXPECT_EQ(result.code, std::nullopt) << "what it prints decides nothing";
  EXPECT_EQ(result.status, SandboxStatus::kFailed);
}

TEST(Remarks, NameTheScratchSpaceThatACommandComplainedOfAndWentOn) {
  SandboxResult result;
  result.policy.emplace().limits.fs_bytes = wire::Quantity{1 << 20};
  result.status = SandboxStatus::kOk;
  result.err = "tee: /tmp/log: No space left on device\n";
  remark({}, result);
  EXPECT_THAT(result.reason, testing::EndsWith(" 1Mi (limits.fsBytes)"));
  EXPECT_EQ(result.code, std::nullopt);
}

TEST(Remarks, SayPartialEnforcementAndKeepTheStatus) {
  SandboxResult result = result_of(exited(0));
  remark({.partial = true}, result);
  EXPECT_EQ(result.status, SandboxStatus::kOk);
  EXPECT_EQ(result.reason, "PARTIAL_ENFORCEMENT");
  result = result_of(exited(7));
  remark({.partial = true}, result);
  EXPECT_EQ(result.status, SandboxStatus::kFailed);
  EXPECT_EQ(result.reason, "PARTIAL_ENFORCEMENT: exited with 7");
}

// proves: VLT-93
TEST(Outcome, MapsSignals) {
  EXPECT_EQ(result_of(signaled(SIGTERM)).status, SandboxStatus::kKilledTerm);
  EXPECT_EQ(result_of(signaled(SIGXFSZ)).code, "E_LIMIT_FS");
  EXPECT_EQ(result_of(signaled(SIGSEGV)).rc, 139);
}

TEST(Outcome, ASignalThatWasSentIsNoLimit) {
  outcome::Ended ended = signaled(SIGXFSZ);
  ended.limit_signals_sent = {SIGXFSZ};
  EXPECT_EQ(result_of(ended).status, SandboxStatus::kFailed);
  EXPECT_EQ(result_of(ended).rc, 153);
  EXPECT_EQ(result_of(ended).limit, "");
  ended.limit_signals_sent = {SIGXCPU};
  EXPECT_EQ(result_of(ended).code, "E_LIMIT_FS");
}

TEST(Outcome, NamesTheLimitThatEndedIt) {
  EXPECT_EQ(result_of(signaled(SIGXFSZ)).limit, "fileSize");
  EXPECT_EQ(result_of(exited(128 + SIGXFSZ)).limit, "fileSize") << "a shell says so of its program";
  EXPECT_EQ(result_of(exited(1)).limit, "");
  outcome::Ended full = exited(128 + SIGXFSZ);
  full.scratch.bytes_full = true;
  EXPECT_EQ(result_of(full).limit, "fsBytes");
  full = exited(1);
  full.cause = EndCause::kWallTime;
  EXPECT_EQ(result_of(full).limit, "wallTime");
}

// proves: VLT-49
TEST(Outcome, TellsAForbiddenCallByTheFiltersWordOnly) {
  EXPECT_EQ(result_of(signaled(SIGSYS)).status, SandboxStatus::kFailed) << "sent by itself";
  EXPECT_EQ(result_of(signaled(SIGSYS)).rc, 159);
  for (const int signal : {SIGSYS, SIGKILL}) {
    outcome::Ended ended = signaled(signal);
    ended.forbidden_call = "reboot";
    EXPECT_EQ(result_of(ended).status, SandboxStatus::kForbiddenSyscall);
    EXPECT_EQ(result_of(ended).rc, 159);
    EXPECT_EQ(result_of(ended).code, "E_CAPABILITY_DENIED");
  }
}

TEST(Outcome, UsesShellCodesForWhatCannotBeExecuted) {
  EXPECT_EQ(result_of(outcome::NotExecutable{ENOENT}).rc, 127);
  EXPECT_EQ(result_of(outcome::NotExecutable{EACCES}).rc, 126);
}

TEST(Outcome, NamesTheStepThatFailed) {
  const SandboxResult result = result_of(outcome::SetupFailed{system_error("pivot_root", EPERM)});
  EXPECT_EQ(result.status, SandboxStatus::kInternalError);
  EXPECT_THAT(result.reason, testing::HasSubstr("pivot_root"));
  EXPECT_EQ(result.not_started->reason, "SANDBOX_SETUP_FAILED");
}

// proves: WSM-37
TEST(Outcome, GivesATooLongCommandItsOwnCode) {
  const SandboxResult result =
      result_of(outcome::Refused{{Code::kTooLarge, "COMMAND_TOO_LARGE", "too long"}});
  EXPECT_EQ(result.status, SandboxStatus::kLimitExceeded);
  EXPECT_EQ(result.code, "E_LIMIT_COMMAND");
}

TEST(Outcome, NamesTheQuotaOfTheWorkspaceWhateverTheCommandSaid) {
  for (const int status : {0, 3 << 8, int{SIGKILL}}) {
    outcome::Ended ended{.wait_status = status, .disk = DiskHit::kBytes};
    EXPECT_EQ(result_of(ended).status, SandboxStatus::kLimitExceeded) << status;
    EXPECT_EQ(result_of(ended).code, "E_LIMIT_FS");
    ended.disk = DiskHit::kFiles;
    EXPECT_EQ(result_of(ended).code, "E_LIMIT_FILES");
    ended.disk = DiskHit::kUnmeasured;
    EXPECT_EQ(result_of(ended).code, "E_LIMIT_FS");
    EXPECT_THAT(result_of(ended).reason, testing::HasSubstr("too deep"));
    ended.cause = EndCause::kWallTime;
    EXPECT_EQ(result_of(ended).status, SandboxStatus::kTimeout) << "the first cause stays";
  }
}

}  // namespace
}  // namespace paddock::sandbox
