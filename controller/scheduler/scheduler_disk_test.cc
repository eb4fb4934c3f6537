// Placement by the disk that runs ask for, and that their files need.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/scheduler/cluster.h"
#include "controller/scheduler/whole_plan_test_support.h"

namespace paddock::scheduler {
namespace {

constexpr int64_t kGibi = int64_t{1} << 30;

contracts::Node with_disk(contracts::Node node, int64_t allocatable) {
  node.status.allocatable_disk = wire::Quantity{allocatable};
  return node;
}

contracts::Run with_disk(contracts::Run run, int64_t asked) {
  run.spec.resources.emplace().disk = wire::Quantity{asked};
  return run;
}

TEST(SchedulerDisk, PlacesNothingWhereTheDiskIsFullAndSaysSoForAllSuchNodes) {
  contracts::Node full = make_node("full");
  full.status.conditions = {{.type = "DiskPressure",
                             .status = "True",
                             .reason = "NODE_DISK_FULL",
                             .message = {},
                             .last_transition_time = {}}};
  contracts::Node other = full;
  other.metadata.name = "other";
  EXPECT_EQ(reason(make_run("r"), {full, other}),
            "0/2 nodes fit: 2 have a full disk; would help: free space on the disk of a node, or "
            "lower its cacheQuota (`paddock describe node NAME`)");
  EXPECT_EQ(reason(make_run("r"), {full, make_node("roomy")}), "placed on roomy");
  full.status.conditions[0].status = "False";
  EXPECT_EQ(reason(make_run("r"), {full}), "placed on full");
}

TEST(SchedulerDisk, PlacesByTheDiskThatRunsAskFor) {
  const contracts::Node node = with_disk(make_node("n"), 100 * kGibi);
  const WholePlan made = plan(
      {with_disk(make_run("a"), 60 * kGibi), with_disk(make_run("b"), 60 * kGibi), make_run("c")},
      {node});
  ASSERT_EQ(made.bindings.size(), 2u) << "who asks for none is not held up by who waits";
  ASSERT_EQ(made.unplaced.size(), 1u);
  EXPECT_THAT(made.unplaced[0].why.message,
              testing::AllOf(testing::HasSubstr("0/1 nodes fit"), testing::HasSubstr("60.0 GiB"),
                             testing::HasSubstr("32.0 GiB"), testing::HasSubstr("resources.disk")));
  EXPECT_EQ(reason(with_disk(make_run("a"), 60 * kGibi), {make_node("n")}), "placed on n")
      << "an agent of before says nothing of it";
}

TEST(SchedulerDisk, ARunThatAsksForNoDiskTakesALittle) {
  const std::vector<contracts::Run> three = {make_run("a"), make_run("b"), make_run("c")};
  EXPECT_EQ(plan(three, {with_disk(make_node("n"), 2 * kUsualDisk)}).bindings.size(), 2u);
  EXPECT_EQ(plan(three, {with_disk(make_node("n"), 3 * kUsualDisk)}).bindings.size(), 3u);
  EXPECT_NE(reason(three[0], {with_disk(make_node("n"), 0)}).find("(none has any)"),
            std::string::npos);
}

TEST(SchedulerDisk, ARunWhoseFilesHadNoRoomGoesWhereTheyHaveAndHoldsNothingForThem) {
  contracts::Run large = make_run("large");
  large.status.disk_needed = wire::Quantity{10 * kGibi};
  const contracts::Node small = with_disk(make_node("a-small"), 9 * kGibi);
  EXPECT_NE(reason(large, {small}).find("use fewer or smaller files"), std::string::npos);
  const contracts::Node big = with_disk(make_node("b-big"), 11 * kGibi);
  EXPECT_EQ(reason(large, {small, big}), "placed on b-big");
  contracts::Run same = large;
  same.metadata.uid = same.metadata.name = "same";
  EXPECT_EQ(plan({large, same}, {big}).bindings.size(), 2u) << "the files are there once";
  large.status.disk_needed = wire::Quantity{std::numeric_limits<int64_t>::max()};
  large.spec.resources.emplace().disk = large.status.disk_needed;
  EXPECT_NE(reason(large, {small, big}).find("0/2 nodes fit"), std::string::npos);
}

TEST(SchedulerDisk, AfterAWhileARunAsksAgainForFilesThatMayBeThereByThen) {
  Cluster cluster({});
  cluster.put_node(with_disk(make_node("n"), kGibi));
  contracts::Run large = make_run("large");
  large.status.disk_needed = wire::Quantity{10 * kGibi};
  large.status.conditions = {{"Scheduled", "False", "REFUSED", "", wire::Timestamp{{1000}}}};
  const WallTime again = WallTime{1000} + kAsksAgainAfter;
  for (int i = 0; i < 2; ++i) {
    cluster.put_run(large);
    EXPECT_TRUE(cluster.pass(WallTime{again.ms - 1}).bindings.empty());
    EXPECT_EQ(cluster.next_due(), again);
    EXPECT_NE(cluster.explain(1).at(0).why.message.find(
                  cat("; a node is asked again at ", format_time(again))),
              std::string::npos);
    EXPECT_EQ(cluster.pass(again).bindings.size(), 1u);
    EXPECT_FALSE(cluster.next_due());
    cluster.remove_run("large");
    EXPECT_EQ(cluster.placed() + cluster.waiting(), 0u);
  }
}

// As on a node with room for the bytes of a run's files and not for so many of them.
TEST(SchedulerDisk, ARunThatIsRefusedThoughItFitsIsPlacedAgainLaterEachTime) {
  Cluster cluster({});
  cluster.put_node(with_disk(make_node("n"), kGibi));
  contracts::Run many = make_run("many");
  many.status.disk_needed = wire::Quantity{kUsualDisk};
  many.status.conditions = {{"Scheduled", "False", "REFUSED", "", wire::Timestamp{{1000}}}};
  const auto waits_ms = [&](int64_t refusals) {
    many.status.refusals = refusals;
    cluster.put_run(many);
    const int64_t due =
        cluster.pass(WallTime{1000}).bindings.empty() ? cluster.next_due()->ms : 1000;
    if (due > 1000) {
      EXPECT_TRUE(cluster.pass(WallTime{due - 1}).bindings.empty());
      EXPECT_EQ(cluster.pass(WallTime{due}).bindings.size(), 1u);
    }
    cluster.remove_run("many");
    EXPECT_FALSE(cluster.next_due());
    return due - 1000;
  };
  EXPECT_EQ(waits_ms(1), 0) << "it goes where there is room at once";
  EXPECT_EQ(waits_ms(2), 5'000);
  EXPECT_EQ(waits_ms(3), 10'000);
  EXPECT_EQ(waits_ms(5), 40'000);
  EXPECT_EQ(waits_ms(6), 60'000);
  EXPECT_EQ(waits_ms(1000), 60'000);
}

}  // namespace
}  // namespace paddock::scheduler
