#include "cli/terminal/exit_codes.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using contracts::Run;
using contracts::RunPhase;
using contracts::SandboxStatus;

Run ended(RunPhase phase, std::optional<std::pair<SandboxStatus, int64_t>> result) {
  Run run;
  run.status.phase = phase;
  if (result) {
    run.status.result.emplace();
    run.status.result->status = result->first;
    run.status.result->rc = result->second;
  }
  return run;
}

// proves: ORB-149
TEST(ExitCode, OfARunIsItsOwn) {
  EXPECT_EQ(exit_code_of(ended(RunPhase::kSucceeded, {{SandboxStatus::kOk, 0}})), 0);
  EXPECT_EQ(exit_code_of(ended(RunPhase::kFailed, {{SandboxStatus::kFailed, 7}})), 7);
  EXPECT_EQ(exit_code_of(ended(RunPhase::kFailed, {{SandboxStatus::kTimeout, 124}})), 124);
  EXPECT_EQ(exit_code_of(ended(RunPhase::kCanceled, {{SandboxStatus::kCanceled, 143}})), 143);
  EXPECT_EQ(exit_code_of(ended(RunPhase::kFailed, {{SandboxStatus::kInternalError, 1}})), 125);
  for (const bool starting : {false, true})  // the same from every command
    EXPECT_EQ(exit_code_of({Code::kAlreadyExists, "RUN_ALREADY_EXISTS", "there"}, starting), 125);
  EXPECT_EQ(exit_code_of(ended(RunPhase::kFailed, std::nullopt)), 125);
  EXPECT_EQ(exit_code_of(ended(RunPhase::kCanceled, std::nullopt)), 143);
  EXPECT_EQ(exit_code_of(ended(RunPhase::kFailed, {{SandboxStatus::kOk, 0}})), 1);
}

TEST(ExitCode, OfAnErrorFollowsTheContract) {
  EXPECT_EQ(exit_code_of(Error{Code::kInvalidArgument, "USAGE", ""}), 2);
  EXPECT_EQ(exit_code_of(Error{Code::kUnavailable, "STREAM_LOST", ""}), 75);
  EXPECT_EQ(exit_code_of(Error{Code::kDeadlineExceeded, "WAIT_TIMEOUT", ""}), 124);
  EXPECT_EQ(exit_code_of(Error{Code::kUnavailable, "INSTANCE_NOT_UP", ""}, true), 125);
  EXPECT_EQ(exit_code_of(Error{Code::kUnavailable, "INSTANCE_NOT_UP", ""}), 1);
  EXPECT_EQ(exit_code_of(Error{Code::kInvalidArgument, "COMMAND_METACHARACTER", ""}, true), 126);
  EXPECT_EQ(exit_code_of(Error{Code::kInvalidArgument, "PATH_ESCAPES_WORKSPACE", ""}), 126);
  EXPECT_EQ(exit_code_of(Error{Code::kPermissionDenied, "SCOPE_MISSING", ""}), 126);
  EXPECT_EQ(exit_code_of(system_error("writing", EACCES)), 1);
  EXPECT_EQ(exit_code_of(system_error("reading", EPERM), true), 125);
  EXPECT_EQ(exit_code_of(Error{Code::kNotFound, "RUN_NOT_FOUND", ""}), 127);
}

}  // namespace
}  // namespace paddock::cli
