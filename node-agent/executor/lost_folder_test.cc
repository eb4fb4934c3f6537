// Runs of a node whose own folders are gone or broken: none was started, and another node may do
// it.
#include <gtest/gtest.h>

#include "node-agent/executor/run_life_fixture.h"

namespace paddock::executor {
namespace {

TEST_F(Life, ANodeWithoutItsCacheGivesTheRunBack) {
  behave("ok");
  ASSERT_TRUE(os::remove_tree(base + "/cas").ok());
  const contracts::RunOutcome out = run();
  EXPECT_EQ(out.reason, "STORE_IO") << out.message;
  EXPECT_TRUE(out.refused.value_or(false));
  EXPECT_EQ(starts(), 0u);
}

TEST_F(Life, WhatTheSystemRefusesBeforeTheLaunchGivesTheRunBack) {
  behave("ok");
  const std::string shard = tree.entries[0].digest.substr(0, 2);
  ASSERT_TRUE(os::replace_file(cat(base, "/cas/", shard), "no folder").ok());
  const contracts::RunOutcome out = run();
  EXPECT_EQ(out.phase, contracts::RunPhase::kFailed);
  EXPECT_EQ(out.reason, "SYSTEM_ERROR") << out.message;
  EXPECT_TRUE(out.refused.value_or(false));
  EXPECT_EQ(starts(), 0u);
}

TEST_F(Life, WhatIsCanceledMeanwhileIsNotGivenBack) {
  behave("ok");
  ASSERT_TRUE(os::remove_tree(base + "/cas").ok());
  life = accept();
  life->stop(StopKind::kCancel);
  life->run();
  EXPECT_EQ(last_outcome().phase, contracts::RunPhase::kCanceled);
  EXPECT_FALSE(last_outcome().refused.value_or(false));
}

}  // namespace
}  // namespace paddock::executor
