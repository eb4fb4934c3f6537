#include "controller/reconciler/queue_count.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::reconciler {
namespace {

using contracts::Run;
using contracts::RunPhase;

Run run(const std::string& uid, RunPhase phase = RunPhase::kPending) {
  Run out;
  out.metadata.name_space = "team";
  out.metadata.uid = uid;
  out.status.phase = phase;
  return out;
}

Run array(int64_t unmade) {
  Run out = run("array");
  out.spec.array.emplace().count = 100;
  out.status.array.emplace().pending = unmade;
  return out;
}

Run element(int64_t index, RunPhase phase = RunPhase::kPending) {
  Run out = run(cat("array-", index), phase);
  out.status.element.emplace().uid = "array";
  return out;
}

class Counted : public testing::Test {
 protected:
  int64_t waiting() const { return count_.waiting_in("team"); }
  QueueCount count_;
};

TEST_F(Counted, ARunThatWaitsTakesAPlaceUntilItIsPlacedOrGone) {
  count_.put(run("a"));
  count_.put(run("a"));
  count_.put(run("b"));
  EXPECT_EQ(waiting(), 2);
  EXPECT_EQ(count_.waiting_in("other"), 0);
  count_.put(run("a", RunPhase::kRunning));
  count_.drop("b");
  count_.drop("b");
  EXPECT_EQ(waiting(), 0);
}

TEST_F(Counted, AnArraysPlaceIsThatOfItsFirstElementThatWaits) {
  count_.put(array(100));
  EXPECT_EQ(waiting(), 1);
  EXPECT_TRUE(count_.has_own_place("array"));
  count_.put(element(0));
  EXPECT_EQ(waiting(), 1);
  EXPECT_FALSE(count_.has_own_place("array"));
  count_.put(element(1));
  EXPECT_EQ(waiting(), 2);
  count_.put(element(0, RunPhase::kRunning));
  count_.put(element(1, RunPhase::kRunning));
  EXPECT_EQ(waiting(), 1) << "what is not made yet waits";
  count_.put(array(0));
  EXPECT_EQ(waiting(), 0) << "all are made, and none waits";
  count_.put(element(1));
  EXPECT_EQ(waiting(), 1) << "one is to be tried again";
}

TEST_F(Counted, ItDoesNotMatterWhichIsSeenFirstAndWhichGoesFirst) {
  count_.put(element(0));
  EXPECT_FALSE(count_.has_own_place("array"));
  count_.put(array(9));
  EXPECT_EQ(waiting(), 1);
  count_.drop("array");
  EXPECT_EQ(waiting(), 1);
  count_.drop("array-0");
  EXPECT_EQ(waiting(), 0);
  count_.put(array(9));
  EXPECT_TRUE(count_.has_own_place("array")) << "nothing of before is left";
}

TEST_F(Counted, AGangStandsForItsMembersUntilTheyAreMade) {
  contracts::Run gang = run("array");
  gang.spec.nodes = 3;
  gang.status.array.emplace().pending = 3;
  count_.put(gang);
  EXPECT_EQ(waiting(), 3);
  gang.status.array->created = 3;
  gang.status.array->pending = 0;
  count_.put(gang);
  for (int64_t rank = 0; rank < 3; ++rank) count_.put(element(rank));
  EXPECT_EQ(waiting(), 3);
}

}  // namespace
}  // namespace paddock::reconciler
