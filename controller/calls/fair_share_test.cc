#include "controller/calls/fair_share.h"

#include <gtest/gtest.h>

namespace paddock::calls {
namespace {

TEST(FairShare, IsThreeQuartersRoundedUpAndNeverNothing) {
  EXPECT_EQ(share_of(1), 1u);
  EXPECT_EQ(share_of(2), 2u);
  EXPECT_EQ(share_of(4), 3u);
  EXPECT_EQ(share_of(5), 4u);
  EXPECT_EQ(share_of(16), 12u);
}

TEST(FairShare, WhoHoldsFewestIsNextWhateverCameFirst) {
  EXPECT_EQ(next_in_turn({"a", "a", "b"}, {{"a", 3}, {"b", 1}}, Turns(), 12), 2u);
  EXPECT_EQ(next_in_turn({"a", "b", "c"}, {{"a", 1}, {"b", 1}}, Turns(), 12), 2u);
}

TEST(FairShare, AmongEqualsTheOneServedLongestAgoIsNextAndThenTheOldest) {
  EXPECT_EQ(next_in_turn({"b", "a", "b"}, {}, Turns(), 12), 0u);
  Turns turns;
  turns.note("b");
  turns.note("a");
  EXPECT_EQ(next_in_turn({"a", "b", "b"}, {}, turns, 12), 1u);
  turns.note("b");
  EXPECT_EQ(next_in_turn({"a", "b", "b"}, {}, turns, 12), 0u);
  EXPECT_EQ(next_in_turn({"a", "b", "new"}, {}, turns, 12), 2u);
}

TEST(FairShare, NobodyGetsMoreThanItsMost) {
  EXPECT_EQ(next_in_turn({"a", "a"}, {{"a", 3}}, Turns(), 3), std::nullopt);
  EXPECT_EQ(next_in_turn({"a", "b"}, {{"a", 3}, {"b", 2}}, Turns(), 3), 1u);
  EXPECT_EQ(next_in_turn({}, {}, Turns(), 3), std::nullopt);
}

// Whoever may make tokens of one namespace can appear as any number of callers.
TEST(FairShare, ANamespaceIsOneHoweverManyTokensItHas) {
  const CallCounts held = {{"ns/a", 1}, {"ns/b", 1}, {"ns-2/a", 1}, {"/c", 2}};
  EXPECT_EQ(held_by(held, "ns/"), 2u);
  EXPECT_EQ(next_in_turn({"ns/c", "ns/d", "ns-2/a"}, held, Turns(), 12), 2u);
  EXPECT_EQ(next_in_turn({"ns/c", "/c"}, held, Turns(), 2), std::nullopt);
  EXPECT_EQ(next_in_turn({"ns/a", "ns/c"}, held, Turns(), 12), 1u) << "within it, the same";
  Turns turns;
  turns.note("ns/a");
  EXPECT_EQ(next_in_turn({"ns/new", "other/b"}, {}, turns, 12), 1u);
  EXPECT_EQ(next_in_turn({"ns/a", "ns/new"}, {}, turns, 12), 1u);
  EXPECT_EQ(next_in_turn({"/a", "ns/a"}, {}, turns, 12), 0u) << "good for all namespaces: alone";
}

TEST(FairShare, RemembersOnlySoManyCallers) {
  Turns turns(2);
  turns.note("a");
  turns.note("b");
  turns.note("a");
  turns.note("c");
  EXPECT_EQ(turns.last("a"), 3u);
  EXPECT_EQ(turns.last("b"), 0u);
  EXPECT_EQ(turns.last("c"), 4u);
}

}  // namespace
}  // namespace paddock::calls
