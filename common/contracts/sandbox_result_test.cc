#include "common/contracts/sandbox_result.h"

#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

SandboxResult result_for(SandboxStatus status) {
  SandboxResult result;
  result.status = status;
  result.rc = 7;
  apply_status_table(result);
  return result;
}

// proves partly: VLT-43, VLT-44, VLT-45, VLT-46, VLT-47, VLT-48, VLT-49, VLT-50
TEST(StatusTable, GivesEachStatusItsExitCode) {
  EXPECT_EQ(result_for(SandboxStatus::kOk).rc, 0);
  EXPECT_EQ(result_for(SandboxStatus::kTimeout).rc, 124);
  EXPECT_EQ(result_for(SandboxStatus::kCpuLimit).rc, 128 + 24);
  EXPECT_EQ(result_for(SandboxStatus::kMemLimit).rc, 128 + 9);
  EXPECT_EQ(result_for(SandboxStatus::kKilledTerm).rc, 128 + 15);
  EXPECT_EQ(result_for(SandboxStatus::kKilledKill).rc, 128 + 9);
  EXPECT_EQ(result_for(SandboxStatus::kCanceled).rc, 128 + 15);
  EXPECT_EQ(result_for(SandboxStatus::kForbiddenSyscall).rc, 128 + 31);
  EXPECT_EQ(result_for(SandboxStatus::kLimitExceeded).rc, 128 + 25);
  EXPECT_EQ(result_for(SandboxStatus::kInternalError).rc, 1);
  EXPECT_EQ(result_for(SandboxStatus::kFailed).rc, 7);  // the program's own
}

TEST(StatusTable, GivesErrorClassAndCode) {
  EXPECT_EQ(result_for(SandboxStatus::kOk).error_class, std::nullopt);
  EXPECT_EQ(result_for(SandboxStatus::kTimeout).error_class, "TIMEOUT");
  EXPECT_EQ(result_for(SandboxStatus::kCanceled).error_class, "CANCELLED");
  EXPECT_EQ(result_for(SandboxStatus::kMemLimit).error_class, "LIMIT_EXCEEDED");
  EXPECT_EQ(result_for(SandboxStatus::kMemLimit).code, "E_LIMIT_MEMORY");
  EXPECT_EQ(result_for(SandboxStatus::kForbiddenSyscall).error_class, "CAPABILITY_DENIED");
  EXPECT_EQ(result_for(SandboxStatus::kForbiddenSyscall).code, "E_CAPABILITY_DENIED");
  EXPECT_EQ(result_for(SandboxStatus::kKilledKill).error_class, std::nullopt);
}

TEST(StatusTable, KeepsACodeThatIsMoreExact) {
  SandboxResult result;
  result.status = SandboxStatus::kCpuLimit;
  result.code = "E_LIMIT_CPU_SESSION";
  result.error_class = "STALE";
  apply_status_table(result);
  EXPECT_EQ(result.code, "E_LIMIT_CPU_SESSION");
  EXPECT_EQ(result.error_class, "LIMIT_EXCEEDED");
}

}  // namespace
}  // namespace paddock::contracts
