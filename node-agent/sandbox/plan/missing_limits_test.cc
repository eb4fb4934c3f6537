#include "node-agent/sandbox/plan/missing_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using contracts::EnforcementLevel;
using contracts::SandboxLimits;
using Names = std::vector<std::string>;

TEST(MissingLimits, NamesWhatWasAskedForAndSaysThatNothingKeepsIt) {
  Enforced enforced;
  AbsentLimits absent("SYSTEM_LACKS_IT", "no such thing", enforced);
  absent.add("fileCount", std::optional<int64_t>(7));
  absent.add("fsBytes", std::optional<wire::Quantity>());
  EXPECT_EQ(absent.missed(), Names{"fileCount"});
  ASSERT_EQ(enforced.size(), 1u);
  EXPECT_EQ(enforced["fileCount"].level, EnforcementLevel::kNone);
  EXPECT_EQ(enforced["fileCount"].requested, wire::Value(7));
  EXPECT_EQ(enforced["fileCount"].reason, "SYSTEM_LACKS_IT");
  EXPECT_EQ(enforced["fileCount"].details, "no such thing");
}

TEST(MissingLimits, MissesTheAddressSpaceOnlyWhereNothingBoundsTheMemory) {
  SandboxLimits limits;
  limits.address_space = wire::Quantity{1 << 20};
  for (const bool memory : {false, true}) {
    if (memory) limits.memory = wire::Quantity{1 << 20};
    Enforced enforced;
    AbsentLimits absent("SYSTEM_LACKS_IT", "", enforced);
    absent.add_address_space(limits, "see memory");
    EXPECT_EQ(absent.missed().empty(), memory);
    EXPECT_EQ(enforced.count("addressSpace"), 1u);
  }
}

TEST(MissingLimits, AreRefusedByNameUnlessThePolicyAllowsToRunWithout) {
  bool partial = false;
  EXPECT_TRUE(accept_missing({}, "LIMITS_UNENFORCEABLE", "cannot limit", false, partial).ok());
  EXPECT_FALSE(partial);
  const Status refused =
      accept_missing({"a", "b"}, "LIMITS_UNENFORCEABLE", "cannot limit", false, partial);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "LIMITS_UNENFORCEABLE");
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("cannot limit a, b"), HasSubstr("allowPartial")));
  EXPECT_TRUE(accept_missing({"a"}, "LIMITS_UNENFORCEABLE", "cannot limit", true, partial).ok());
  EXPECT_TRUE(partial);
}

}  // namespace
}  // namespace paddock::sandbox
