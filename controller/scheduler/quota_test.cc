// Whose turn it is: quotas, shares, the queue.
#include "controller/scheduler/quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/scheduler/cluster_test_support.h"

namespace paddock::scheduler {
namespace {

using testing::HasSubstr;

TEST(Quota, IsNeverExceededAndSaysWhatIsUsedUp) {
  Quota quota;
  quota.runs = 2;
  quota.cpu = 3;
  Cluster cluster(with_quota("team-a", quota));
  cluster.put_node(node("n", 100, 100));
  for (int i = 0; i < 4; ++i) cluster.put_run(run(cat("a", i), "team-a"));
  for (int i = 0; i < 4; ++i) cluster.put_run(run(cat("b", i), "team-b"));
  EXPECT_EQ(bound_by_space(cluster.pass(kNow)),
            (std::map<std::string, int>{{"team-a", 2}, {"team-b", 4}}));
  const auto unplaced = cluster.explain(10);
  ASSERT_EQ(unplaced.size(), 2u);
  EXPECT_THAT(unplaced[0].why.message,
              testing::AllOf(testing::HasSubstr("namespace team-a"),
                             testing::HasSubstr("2 of 2 runs"), testing::HasSubstr("operator")));
  cluster.remove_run("a0");
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 1u) << "what ended gives its share back";
}

TEST(Quota, TheNumberForAllNamespacesHoldsUnlessARowSaysAnother) {
  Quota more;
  more.runs = 3;
  Quota silent;  // says nothing about runs
  silent.weight = 200;
  Cluster cluster({.quotas = Quotas({{"more", more}, {"silent", silent}}, 1)});
  cluster.put_node(node("n", 100));
  for (const char* space : {"more", "other", "silent"}) {
    for (int i = 0; i < 4; ++i) cluster.put_run(run(cat(space, i), space));
  }
  EXPECT_EQ(bound_by_space(cluster.pass(kNow)),
            (std::map<std::string, int>{{"more", 3}, {"other", 1}, {"silent", 1}}));
}

TEST(Queue, CountsPositionsByPriorityAgeAndUidAcrossNamespacesAndDemands) {
  Queue queue;
  queue.add(0, "a", 1, {10, "late"});
  queue.add(0, "b", 1, {5, "early-2"});
  queue.add(0, "a", 2, {5, "early-1"});
  queue.add(7, "b", 2, {20, "urgent"});
  EXPECT_EQ(queue.front(10), (std::vector<std::string>{"urgent", "early-1", "early-2", "late"}));
  EXPECT_EQ(queue.front(2), (std::vector<std::string>{"urgent", "early-1"}));
}

TEST(Queue, ARunWhoseDelayIsOverIsToldItsPlace) {
  Cluster cluster({});
  contracts::Run tried = run("tried");
  tried.spec.retry = contracts::RetryPolicy{};
  tried.status.attempt = 1;
  tried.status.retry_at = wire::Timestamp{kNow + Millis(10'000)};
  cluster.put_run(tried);
  cluster.put_run(run("waits"));
  cluster.pass(kNow);
  EXPECT_EQ(cluster.explain(10).size(), 1u) << "the other one knows when it is due";
  cluster.pass(kNow + Millis(10'000));
  const auto told = cluster.explain(10);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].uid, "tried");
  EXPECT_EQ(told[0].position, 1);
  EXPECT_EQ(told[1].position, 2);
}

TEST(Queue, ARunIsDelayedNoLongerByAClockThatWentBack) {
  Cluster cluster({});
  cluster.put_node(node("n"));
  contracts::Run tried = run("tried");
  tried.spec.retry = contracts::RetryPolicy{};
  tried.status.attempt = 1;
  tried.status.retry_at = wire::Timestamp{kNow + Millis(10'000)};
  cluster.put_run(tried);
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 0u);
  EXPECT_EQ(cluster.pass(kNow + Millis(-3'600'000)).bindings.size(), 1u);
}

TEST(Quota, ARunThatAloneIsOverItIsToldSo) {
  Quota quota;
  quota.memory = wire::Quantity{1LL << 30};
  Cluster cluster(with_quota("*", quota));
  cluster.put_node(node("n"));
  contracts::Run large = run("r");
  large.spec.resources.emplace().memory = wire::Quantity{2LL << 30};
  cluster.put_run(large);
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  EXPECT_THAT(cluster.explain(1).at(0).why.message, HasSubstr("operator"));
}

TEST(Quota, ASmallerRunBehindOneThatIsOverItIsPlaced) {
  Quota quota;
  quota.cpu = 2;
  Cluster cluster(with_quota("default", quota));
  cluster.put_node(node("n"));
  cluster.put_run(with_cpu(run("a-large"), 4));
  cluster.put_run(with_cpu(run("b-small"), 2));
  const Plan plan = cluster.pass(kNow);
  ASSERT_EQ(plan.bindings.size(), 1u);
  EXPECT_EQ(plan.bindings[0].uid, "b-small");
}

TEST(FairShare, NamespacesTakeTurnsHoweverManyRunsTheySubmit) {
  Cluster cluster({});
  cluster.put_node(node("n", 10));
  for (int i = 0; i < 100; ++i) cluster.put_run(run(cat("a", 100 + i), "greedy"));
  for (int i = 0; i < 5; ++i) cluster.put_run(run(cat("z", i), "modest"));
  EXPECT_EQ(bound_by_space(cluster.pass(kNow)),
            (std::map<std::string, int>{{"greedy", 5}, {"modest", 5}}));
}

TEST(FairShare, FollowsTheWeightsAndWhatIsHeldAlready) {
  Quota heavy;
  heavy.weight = 300;
  Cluster cluster(with_quota("heavy", heavy));
  cluster.put_node(node("n", 8));
  for (int i = 0; i < 20; ++i) {
    cluster.put_run(run(cat("h", 10 + i), "heavy"));
    cluster.put_run(run(cat("l", 10 + i), "light"));
  }
  EXPECT_EQ(bound_by_space(cluster.pass(kNow)),
            (std::map<std::string, int>{{"heavy", 6}, {"light", 2}}));

  Cluster held({});
  held.put_node(node("n", 4));
  held.put_run(bound(run("old-1", "holder"), "n"));
  held.put_run(bound(run("old-2", "holder"), "n"));
  held.put_run(run("a", "holder"));
  held.put_run(run("b", "newcomer"));
  held.put_run(run("c", "newcomer"));
  EXPECT_EQ(bound_by_space(held.pass(kNow)), (std::map<std::string, int>{{"newcomer", 2}}));
}

TEST(FairShare, WhoHoldsTheDiskHasHisShare) {
  Cluster cluster({});
  contracts::Node only = node("n", 100);
  only.status.allocatable_disk = wire::Quantity{100 << 20};
  cluster.put_node(only);
  contracts::Run large = run("a0", "team-a");
  large.spec.resources.emplace().disk = wire::Quantity{60 << 20};
  cluster.put_run(large);
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 1u);
  for (int i = 1; i < 5; ++i) cluster.put_run(run(cat("a", i), "team-a"));
  for (int i = 0; i < 4; ++i) cluster.put_run(run(cat("b", i), "team-b"));
  EXPECT_EQ(bound_by_space(cluster.pass(kNow)), (std::map<std::string, int>{{"team-b", 2}}));
}

TEST(FairShare, PriorityGoesFirst) {
  Cluster cluster({});
  cluster.put_node(node("n", 2));
  for (int i = 0; i < 3; ++i) cluster.put_run(run(cat("a", i), "one"));
  for (int i = 0; i < 3; ++i) cluster.put_run(run(cat("b", i), "two", 5));
  EXPECT_EQ(bound_by_space(cluster.pass(kNow)), (std::map<std::string, int>{{"two", 2}}));
}

}  // namespace
}  // namespace paddock::scheduler
