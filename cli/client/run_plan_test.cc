#include "cli/client/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using contracts::PlanGroup;
using contracts::RunPlan;
using testing::HasSubstr;

TEST(RunPlan, ANodeThatIsLargeEnoughIsWaitedFor) {
  const PlanGroup small{2, "have fewer than 64 cores (the largest has 2)", "ask for fewer", true};
  const PlanGroup busy{1, "has not 64 cores free", "wait for a run to give its cores back", false};
  RunPlan plan;
  EXPECT_TRUE(check_some_node_is_large_enough(plan).ok()) << "no node at all: one may come";
  plan.groups = {small, busy};
  EXPECT_TRUE(check_some_node_is_large_enough(plan).ok());
  plan.groups = {small};
  const Status none = check_some_node_is_large_enough(plan);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().reason, "NO_NODE_LARGE_ENOUGH");
  EXPECT_THAT(none.error().message, HasSubstr("2 have fewer than 64"));
  EXPECT_THAT(none.error().message, HasSubstr("--wait-for-node"));
  plan.placed = true;
  EXPECT_TRUE(check_some_node_is_large_enough(plan).ok());
}

}  // namespace
}  // namespace paddock::cli
