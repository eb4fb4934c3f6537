#include "common/contracts/sandbox_refusal.h"

#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

std::string code_of(SandboxStatus status, std::string reason) {
  SandboxResult result;
  result.status = status;
  result.reason = std::move(reason);
  const auto refused = refusal_of(result);
  return refused ? refused->reason.str() + " / " + refused->message : "none";
}

TEST(SandboxRefusal, IsWhatThePolicyAskedForAndTheNodeHasNot) {
  EXPECT_EQ(code_of(SandboxStatus::kInternalError, "TOOL_UNAVAILABLE: tools[0]: x is none: y"),
            "TOOL_UNAVAILABLE / tools[0]: x is none: y");
  for (const char* other :
       {"", "SANDBOX_SETUP_FAILED: mounting /proc", "no test paths provided", "Other: x", ": x"})
    EXPECT_EQ(code_of(SandboxStatus::kInternalError, other), "none") << other;
  EXPECT_EQ(code_of(SandboxStatus::kFailed, "TOOL_UNAVAILABLE: x"), "none");
}

bool may_be_the_hosts(SandboxStatus status, std::string reason) {
  SandboxResult result;
  result.status = status;
  result.reason = std::move(reason);
  return contracts::may_be_the_hosts(result);
}

TEST(SandboxRefusal, MayBeTheHostsWhereAHostCanComeToItByItself) {
  using enum SandboxStatus;
  EXPECT_TRUE(may_be_the_hosts(kInternalError, "SANDBOX_SETUP_FAILED: mounting /proc"));
  EXPECT_TRUE(may_be_the_hosts(kInternalError, "MEMORY_UNENFORCEABLE: no cgroup"));
  EXPECT_FALSE(may_be_the_hosts(kInternalError, "TOOL_UNAVAILABLE: tools[0]: x is none"));
  EXPECT_FALSE(may_be_the_hosts(kInternalError, "INVALID_MOUNT: x"));
  EXPECT_FALSE(may_be_the_hosts(kInternalError, ""));
  EXPECT_FALSE(may_be_the_hosts(kFailed, "SANDBOX_SETUP_FAILED: it said"));
}

}  // namespace
}  // namespace paddock::contracts
