#include "common/contracts/sandbox_refusal.h"

#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

SandboxResult not_started(const Error& error) {
  SandboxResult result;
  tell_not_started(error, result);
  return result;
}

TEST(SandboxRefusal, IsWhatThePolicyAskedForAndTheNodeHasNot) {
  const SandboxResult result = not_started({Code::kFailedPrecondition,
                                            "TOOL_UNAVAILABLE",
                                            "x: y is none",
                                            {{"tools[0]", "x: y is none"}}});
  EXPECT_EQ(result.status, SandboxStatus::kInternalError);
  EXPECT_EQ(result.reason, "TOOL_UNAVAILABLE: tools[0]: x: y is none");
  const auto refused = refusal_of(result);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, Code::kFailedPrecondition);
  EXPECT_EQ(refused->reason, "TOOL_UNAVAILABLE");
  EXPECT_EQ(refused->message, "x: y is none");
  EXPECT_EQ(refused->causes, (std::vector<Cause>{{"tools[0]", "x: y is none"}}));
}

TEST(SandboxRefusal, IsNoStepThatFailedAndNothingThatACommandSaid) {
  EXPECT_FALSE(
      refusal_of(not_started({Code::kInternal, "SANDBOX_SETUP_FAILED", "mounting /proc"})));
  SandboxResult said;
  said.reason = "TOOL_UNAVAILABLE: tools[0]: it said";
  EXPECT_FALSE(refusal_of(said));
  EXPECT_FALSE(may_be_the_hosts(said));
}

TEST(SandboxRefusal, MayBeTheHostsWhereAHostCanComeToItByItself) {
  EXPECT_TRUE(may_be_the_hosts(not_started({Code::kInternal, "SANDBOX_SETUP_FAILED", "mounting"})));
  EXPECT_TRUE(
      may_be_the_hosts(not_started({Code::kFailedPrecondition, "MEMORY_UNENFORCEABLE", "none"})));
  for (const Reason& policys : {Reason("TOOL_UNAVAILABLE"), Reason("MOUNT_NOT_FOUND")})
    EXPECT_FALSE(may_be_the_hosts(not_started({Code::kFailedPrecondition, policys, "none"})));
  EXPECT_FALSE(may_be_the_hosts({}));
}

}  // namespace
}  // namespace paddock::contracts
