// Gangs: all members at once, each on a node of its own, or none of them.
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/text.h"
#include "controller/runs/gang_members.h"
#include "controller/scheduler/cluster.h"
#include "controller/scheduler/cluster_test_support.h"
#include "controller/scheduler/scheduler.h"

namespace paddock::scheduler {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Members of a gang as the controller makes them.
std::vector<contracts::Run> gang(const std::string& name, int64_t size, int64_t cpu = 1,
                                 const std::string& name_space = "default", int64_t priority = 0) {
  std::vector<contracts::Run> members;
  for (int64_t index = 0; index < size; ++index) {
    contracts::Run member = with_cpu(run(cat(name, "-", 100 + index), name_space, priority), cpu);
    member.metadata.name = cat(name, "-", index);
    member.status.element = contracts::ArrayElement{name, name, index, size};
    members.push_back(std::move(member));
  }
  return members;
}

void put(Cluster& cluster, const std::vector<contracts::Run>& members) {
  for (const contracts::Run& member : members) cluster.put_run(member);
}

std::set<std::string> nodes_of(const Plan& plan) {
  std::set<std::string> nodes;
  for (const Binding& each : plan.bindings) nodes.insert(each.node);
  return nodes;
}

std::string message_of(Cluster& cluster, const std::string& name) {
  for (const Unplaced& each : cluster.explain(100)) {
    if (each.name == name) return each.why.message;
  }
  return "";
}

TEST(Gangs, ArePlacedAllAtOnceEachMemberOnANodeOfItsOwn) {
  Cluster cluster({});
  for (const char* name : {"a", "b", "c"}) cluster.put_node(node(name));
  put(cluster, gang("g", 3));
  const Plan plan = cluster.pass(kNow);
  ASSERT_EQ(plan.bindings.size(), 3u);
  EXPECT_EQ(nodes_of(plan), (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(plan.bindings[0].name, "g-0");
  EXPECT_EQ(plan.bindings[0].node, "a") << "ranks go in the order of the nodes' names";
  EXPECT_EQ(cluster.waiting(), 0u);
}

TEST(Gangs, HoldNothingBeforeTheyArePlacedAndSayHowManyOfTheirMembersHaveRoom) {
  Cluster cluster({});
  cluster.put_node(node("a"));
  cluster.put_node(node("b", 1));
  cluster.put_run(bound(run("there"), "b"));
  put(cluster, gang("g", 2));
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  EXPECT_THAT(
      message_of(cluster, "g-0"),
      AllOf(HasSubstr("1/2 nodes fit, and its 2 members need one each"), HasSubstr("1 is full")));
  cluster.put_run(run("small"));
  EXPECT_EQ(nodes_of(cluster.pass(kNow)), (std::set<std::string>{"a"}))
      << "others take what a gang waits for";
  cluster.remove_run("there");
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 2u);
}

TEST(Gangs, OfMoreMembersThanThereAreNodesWaitForMoreOfThem) {
  Cluster cluster({});
  cluster.put_node(node("a"));
  put(cluster, gang("g", 3));
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  EXPECT_THAT(message_of(cluster, "g-0"),
              AllOf(HasSubstr("1/1 nodes fit, and its 3 members need one each: 2 are missing"),
                    HasSubstr("add 2 nodes")));
  cluster.put_node(node("b"));
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  cluster.put_node(node("c"));
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 3u);
}

TEST(Gangs, TellOnceForEachOfTheOthersWhoSaysWhyTheyWait) {
  Cluster cluster({});
  cluster.put_node(node("a"));
  put(cluster, gang("g", 3));
  static_cast<void>(cluster.pass(kNow));
  std::map<std::string, Unplaced> told;
  for (Unplaced& each : cluster.explain(100)) told[each.name] = std::move(each);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told["g-0"].position, 1);
  EXPECT_EQ(told["g-2"].position, kNoPosition);
  EXPECT_THAT(told["g-2"].why.message, HasSubstr("g-0 says why"));
  cluster.put_node(node("b"));
  for (const Unplaced& each : cluster.explain(100)) EXPECT_EQ(each.name, "g-0");
}

TEST(Gangs, AreNotPlacedBeforeAllOfThemAreThereAndDue) {
  Cluster cluster({});
  cluster.put_node(node("a"));
  cluster.put_node(node("b"));
  auto members = gang("g", 2);
  cluster.put_run(members[0]);
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  members[1].spec.retry = contracts::RetryPolicy{};
  static_cast<void>(runs::bind(members[1], "gone", kNow).value());
  static_cast<void>(runs::lose_node(members[1], "gone", kNow));
  cluster.put_run(members[1]);
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty()) << "one of them waits for its next attempt";
  EXPECT_EQ(cluster.pass(kNow + Millis(10'000)).bindings.size(), 2u);
}

TEST(Gangs, CountWholeInQuotasOrNotAtAll) {
  Quota quota;
  quota.runs = 3;
  Cluster cluster(with_quota("team", quota));
  for (const char* name : {"a", "b", "c"}) cluster.put_node(node(name));
  cluster.put_run(run("one", "team"));
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 1u);
  put(cluster, gang("g", 3, 1, "team"));
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  EXPECT_THAT(message_of(cluster, "g-0"), HasSubstr("1 of 3 runs are in use and 3 more"));
  cluster.remove_run("one");
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 3u);
  EXPECT_EQ(cluster.charged("team").runs, 3);
}

TEST(Gangs, TwoThatWantTheSameNodesTakeTurnsAndNeitherHoldsAPart) {
  Cluster cluster({});
  cluster.put_node(node("a", 1));
  cluster.put_node(node("b", 1));
  put(cluster, gang("g", 2));
  put(cluster, gang("h", 2));
  const Plan first = cluster.pass(kNow);
  ASSERT_EQ(first.bindings.size(), 2u);
  EXPECT_EQ(first.bindings[0].name, "g-0");
  EXPECT_EQ(first.bindings[1].name, "g-1");
  cluster.remove_run("g-100");
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  cluster.remove_run("g-101");
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 2u);
}

TEST(Gangs, GiveWayAsOneAndMakeNoRoomForThemselves) {
  Cluster cluster({.quotas = {}, .preemption = true});
  cluster.put_node(node("a", 1));
  cluster.put_node(node("b", 1));
  auto low = gang("low", 2);
  for (size_t i = 0; i < low.size(); ++i) {
    low[i].spec.retry = contracts::RetryPolicy{};
    cluster.put_run(bound(low[i], i == 0 ? "a" : "b"));
  }
  put(cluster, gang("high", 2, 1, "default", 10));
  EXPECT_TRUE(cluster.pass(kNow).preemptions.empty());
  cluster.put_run(run("urgent", "default", 20));
  std::set<std::string> victims;
  for (const Preemption& each : cluster.pass(kNow).preemptions) victims.insert(each.uid);
  EXPECT_EQ(victims, (std::set<std::string>{"low-100", "low-101"}));
}

class GangsThatGiveWay : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b"}) cluster_.put_node(node(name, 1));
    for (contracts::Run& member : low_) member.spec.retry = contracts::RetryPolicy{};
    low_[0] = bound(low_[0], "a");
    low_[1] = bound(low_[1], "b");
    put(cluster_, low_);
  }
  std::set<std::string> victims_of(const std::string& urgent) {
    cluster_.put_run(run(urgent, "default", 20));
    std::set<std::string> victims;
    for (const Preemption& each : cluster_.pass(kNow).preemptions) victims.insert(each.uid);
    return victims;
  }
  Cluster cluster_{{.quotas = {}, .preemption = true}};
  std::vector<contracts::Run> low_ = gang("low", 2);
};

TEST_F(GangsThatGiveWay, DoNotOnceAMemberHasEndedForNoneIsTriedAgain) {
  cluster_.remove_run("low-100");
  cluster_.put_run(bound(run("stays"), "a"));
  EXPECT_TRUE(victims_of("urgent").empty());
}

TEST_F(GangsThatGiveWay, DoNotWhereOneOfThemMayNotBeRepeated) {
  low_[0].spec.retry.reset();
  cluster_.put_run(low_[0]);
  EXPECT_TRUE(victims_of("urgent").empty());
}

TEST_F(GangsThatGiveWay, CountWithAllWhoEndWithThem) {
  cluster_.put_node(node("c", 2));
  for (const char* name : {"one", "other"}) {
    contracts::Run single = with_cpu(run(name, "default", 5), 4);
    single.spec.retry = contracts::RetryPolicy{};
    cluster_.put_run(bound(single, "c"));
  }
  EXPECT_EQ(victims_of("urgent"), (std::set<std::string>{"other"})) << "one is fewer than two";
}

TEST(Gangs, AreSearchedForOnceAsManyNodesWereFreedAsTheyMissed) {
  Cluster cluster({});
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  for (const std::string& name : names) {
    cluster.put_node(node(name, 1));
    if (name != "a") cluster.put_run(bound(run(cat("on-", name)), name));
  }
  put(cluster, gang("g", 4));
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  const uint64_t before = cluster.nodes().looked_at();
  for (const char* ended : {"on-b", "on-c"}) {
    cluster.remove_run(ended);
    EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  }
  EXPECT_EQ(cluster.nodes().looked_at(), before) << "one is missing still";
  cluster.remove_run("on-d");
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 4u);
}

TEST(Gangs, AskAgainForRoomForTheirFilesAsSoonAsOneOfThemDoes) {
  constexpr int64_t kGibi = 1LL << 30;
  Cluster cluster({});
  for (const char* name : {"a", "b"}) {
    contracts::Node small = node(name);
    small.status.allocatable_disk = wire::Quantity{2 * kGibi};
    cluster.put_node(small);
  }
  auto members = gang("g", 2);
  for (contracts::Run& member : members) {
    member.status.disk_needed = wire::Quantity{10 * kGibi};
    const bool first = member.status.element->index == 0;
    member.status.conditions.push_back({"Scheduled", "False", "REFUSED", "",
                                        wire::Timestamp{first ? kNow + Millis(60'000) : kNow}});
  }
  put(cluster, members);
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty());
  EXPECT_EQ(cluster.next_due(), std::optional(kNow + kAsksAgainAfter));
  EXPECT_EQ(cluster.pass(kNow + kAsksAgainAfter).bindings.size(), 2u);
  EXPECT_FALSE(cluster.next_due());
}

TEST(Gangs, AreChosenFromLargeClustersWithoutANodeTwice) {
  Cluster cluster({});
  for (int i = 0; i < 1000; ++i) cluster.put_node(node(cat("n", 1000 + i), i % 2 == 0 ? 1 : 0));
  put(cluster, gang("g", 256));
  EXPECT_EQ(nodes_of(cluster.pass(kNow)).size(), 256u);
  put(cluster, gang("h", 256));
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty()) << "244 are left";
}

TEST(Gangs, ArePreviewedWithoutBeingPlaced) {
  Cluster cluster({});
  cluster.put_node(node("a"));
  contracts::Run wanted = run("g");
  wanted.spec.nodes = 2;
  const Preview none = cluster.preview(wanted);
  EXPECT_EQ(none.node, "");
  EXPECT_THAT(none.message, HasSubstr("1/1 nodes fit, and its 2 members"));
  ASSERT_EQ(none.groups.size(), 1u);
  EXPECT_TRUE(none.groups[0].too_small);
  cluster.put_node(node("b"));
  EXPECT_EQ(cluster.preview(wanted).node, "a");
}

// A gang's members come and go in any order; the cluster equals one that is read anew, and at no
// time is one placed without the others.
TEST(Gangs, ArePlacedWholeWhateverHappensBefore) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SeededRandom random(seed);
    Cluster cluster({});
    for (int i = 0; i < 4; ++i) cluster.put_node(node(cat("n", i), 2, 4));
    std::map<std::string, std::vector<contracts::Run>> gangs;
    std::map<std::string, std::string> where;  // uid, node
    for (int step = 0; step < 60; ++step) {
      const std::string name = cat("g", random.below(6));
      if (auto known = gangs.extract(name); !known.empty()) {
        for (const auto& member : known.mapped()) {
          cluster.remove_run(member.metadata.uid);
          where.erase(member.metadata.uid);
        }
      } else {
        auto members = gang(name, static_cast<int64_t>(1 + random.below(5)),
                            static_cast<int64_t>(1 + random.below(3)));
        put(cluster, members);
        gangs[name] = std::move(members);
      }
      if (random.below(3) == 0) cluster.put_run(run(cat("single-", step)));
      if (random.below(4) == 0) cluster.remove_run(cat("single-", random.below(60)));
      std::map<std::string, std::set<std::string>> placed;
      std::map<std::string, size_t> count;
      for (const Binding& each : cluster.pass(kNow).bindings) {
        where[each.uid] = each.node;
        if (each.name.starts_with("single")) continue;
        placed[each.name.substr(0, 2)].insert(each.node);
        ++count[each.name.substr(0, 2)];
      }
      for (const auto& [name_of, members] : gangs) {
        if (where.contains(members.front().metadata.uid)) continue;
        contracts::Run whole = members.front();
        EXPECT_EQ(cluster.preview(whole).node, "")
            << name_of << " waits though it fits, seed " << seed;
      }
      for (const auto& [whose, nodes] : placed) {
        EXPECT_EQ(nodes.size(), gangs.at(whose).size()) << "seed " << seed;
        EXPECT_EQ(count[whose], gangs.at(whose).size()) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace paddock::scheduler
