#include "controller/runs/pool_words.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::runs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr WallTime kPoolMoment{1'764'270'000'000};
constexpr const char* kFull = "0/1 nodes fit: 1 is full";

contracts::Run waiting() {
  contracts::Run run;
  static_cast<void>(explain_pending(run, kUnschedulable, kFull, kPoolMoment));
  return run;
}

TEST(PoolWords, StandBehindWhyARunWaits) {
  contracts::Run run = waiting();
  const auto events = hear_pool(run, "hpc", {false, "no such partition"}, kPoolMoment);
  ASSERT_TRUE(events.ok());
  EXPECT_EQ(events->size(), 1U);
  EXPECT_THAT(run.status.message,
              AllOf(StartsWith(kFull), HasSubstr(" hpc: "), HasSubstr("no such partition")));
  EXPECT_TRUE(hear_pool(run, "hpc", {false, "no such partition"}, kPoolMoment)->empty());
  EXPECT_EQ(hear_pool(run, "hpc", {true, "job 1"}, kPoolMoment)->size(), 1U);
  EXPECT_THAT(run.status.message, AllOf(StartsWith(kFull), HasSubstr(" hpc: job 1"),
                                        Not(HasSubstr("no such partition"))));
}

TEST(PoolWords, StayWhenTheControllersOwnChange) {
  contracts::Run run = waiting();
  ASSERT_TRUE(hear_pool(run, "hpc", {true, "job 1"}, kPoolMoment).ok());
  EXPECT_TRUE(explain_pending(run, kUnschedulable, kFull, kPoolMoment).empty()) << "nothing is new";
  EXPECT_EQ(explain_pending(run, kUnschedulable, "0/2 nodes fit: 2 are full", kPoolMoment).size(),
            1U);
  EXPECT_THAT(run.status.message,
              AllOf(StartsWith("0/2 nodes fit: 2 are full"), HasSubstr(" hpc: job 1")));
}

TEST(PoolWords, GoWhenTheRunIsPlacedOrEnds) {
  contracts::Run placed = waiting();
  ASSERT_TRUE(hear_pool(placed, "hpc", {true, "job 1"}, kPoolMoment).ok());
  ASSERT_TRUE(bind(placed, "hpc-1", kPoolMoment).ok());
  EXPECT_EQ(with_pool_words(placed.status, ""), "");
  EXPECT_EQ(hear_pool(placed, "hpc", {true, "job 1"}, kPoolMoment).error().reason,
            "RUN_NOT_PENDING");
}

TEST(PoolWords, AreOfAFewPools) {
  contracts::Run run = waiting();
  for (size_t i = 0; i < kMostPools; ++i)
    ASSERT_TRUE(hear_pool(run, cat("p", i), {true, "job 1"}, kPoolMoment).ok());
  EXPECT_EQ(hear_pool(run, "one-more", {true, "job 1"}, kPoolMoment).error().reason,
            "INVALID_FIELD");
  EXPECT_TRUE(hear_pool(run, "p0", {true, "job 2"}, kPoolMoment).ok());
}

}  // namespace
}  // namespace paddock::runs
