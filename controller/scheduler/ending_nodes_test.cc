// Nodes on hosts that are lent until a known time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/scheduler/cluster.h"
#include "controller/scheduler/cluster_test_support.h"

namespace paddock::scheduler {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

contracts::Node lent_for(minutes time) {
  contracts::Node out = node("lent");
  out.status.ends_at = wire::Timestamp{kNow + time};
  return out;
}

contracts::Run lasting(const std::string& uid, minutes time) {
  contracts::Run out = run(uid);
  out.status.policy.emplace().limits.wall_time = wire::Duration{time};
  return out;
}

TEST(EndingNodes, GetWhatEndsBeforeThem) {
  Cluster cluster({});
  cluster.put_node(lent_for(minutes(30)));
  cluster.put_run(lasting("short", minutes(28)));
  cluster.put_run(lasting("long", minutes(29)));  // a run takes some time beside its command
  const Plan plan = cluster.pass(kNow);
  ASSERT_EQ(plan.bindings.size(), 1U);
  EXPECT_EQ(plan.bindings[0].uid, "short");
  const auto waiting = cluster.explain(8);
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_THAT(waiting[0].why.message, HasSubstr("ends in less than 31m (the longest stays 30m)"));
}

TEST(EndingNodes, AGraceToEndCounts) {
  Cluster cluster({});
  cluster.put_node(lent_for(minutes(30)));
  contracts::Run slow_to_end = lasting("slow", minutes(28));
  slow_to_end.spec.termination_grace = wire::Wait{minutes(1)};
  cluster.put_run(slow_to_end);
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
}

TEST(EndingNodes, HaveLessTimeAsItPasses) {
  Cluster cluster({});
  cluster.put_node(lent_for(minutes(30)));
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  const WallTime later = kNow + minutes(25);
  cluster.put_run(lasting("late", minutes(10)));
  EXPECT_TRUE(cluster.pass(later).bindings.empty());
  contracts::Node stays = lent_for(minutes(30));
  stays.status.ends_at = std::nullopt;  // its allocation was made longer, or it was bought
  cluster.put_node(stays);
  EXPECT_EQ(cluster.pass(later).bindings.size(), 1U);
}

TEST(EndingNodes, NoDocumentsTimeOverflows) {
  Cluster cluster({});
  cluster.put_node(lent_for(minutes(30)));
  contracts::Run endless = lasting("endless", minutes(1));
  endless.status.policy->limits.wall_time = wire::Duration{Millis::max()};
  endless.spec.termination_grace = wire::Wait{Millis::max()};
  cluster.put_run(endless);
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
}

}  // namespace
}  // namespace paddock::scheduler
