#include "common/contracts/limit_field.h"

#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

SandboxResult ended_by(SandboxStatus status, const std::string& code = "",
                       const std::string& reason = "") {
  SandboxResult result;
  result.status = status;
  result.code = code;
  result.reason = reason;
  return result;
}

TEST(LimitField, IsTheOneThatEndedTheRun) {
  using S = SandboxStatus;
  EXPECT_EQ(limit_that_ended(ended_by(S::kTimeout)), "wallTime");
  EXPECT_EQ(limit_that_ended(ended_by(S::kCpuLimit)), "cpuTime");
  EXPECT_EQ(limit_that_ended(ended_by(S::kMemLimit)), "memory");
  EXPECT_EQ(limit_that_ended(ended_by(S::kLimitExceeded, "E_LIMIT_PIDS")), "pids");
  EXPECT_EQ(limit_that_ended(ended_by(S::kLimitExceeded, "E_LIMIT_FILES")), "fileCount");
  EXPECT_EQ(limit_that_ended(ended_by(S::kLimitExceeded, "E_LIMIT_FS")), "fsBytes");
  EXPECT_EQ(limit_that_ended(
                ended_by(S::kLimitExceeded, "E_LIMIT_FS", "file size limit reached (signal 25)")),
            "fileSize");
  EXPECT_EQ(limit_that_ended(ended_by(S::kLimitExceeded, "E_NEW")), "");
  EXPECT_EQ(limit_that_ended(ended_by(S::kFailed, "E_LIMIT_PIDS")), "");
  SandboxResult of_a_shell = ended_by(S::kFailed);
  of_a_shell.rc = 153;
  EXPECT_EQ(limit_that_ended(of_a_shell), "fileSize");
}

TEST(LimitField, HasTheValueThatItHad) {
  SandboxLimits limits;
  limits.memory = wire::Quantity{int64_t{8} << 30};
  limits.wall_time = wire::Duration{Millis(90'000)};
  limits.pids = 64;
  EXPECT_EQ(limit_text(limits, "memory"), "8Gi");
  EXPECT_EQ(limit_text(limits, "wallTime"), "1m30s");
  EXPECT_EQ(limit_text(limits, "pids"), "64");
  EXPECT_EQ(limit_text(limits, "fsBytes"), "");
  EXPECT_EQ(limit_text(limits, "nothing"), "");
}

}  // namespace
}  // namespace paddock::contracts
