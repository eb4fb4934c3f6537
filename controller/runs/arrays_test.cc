#include "controller/runs/arrays.h"

#include <gtest/gtest.h>

#include "controller/runs/array_transitions.h"

namespace paddock::runs {
namespace {

using contracts::RunPhase;

constexpr WallTime kArrayTime{1'750'000'000'000};

contracts::Run array_of(int64_t count) {
  contracts::Run run;
  run.metadata.name = "sweep";
  run.metadata.name_space = "default";
  run.metadata.uid = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b";
  run.metadata.labels["team"] = "search";
  run.spec.command.argv = {"true"};
  run.spec.array.emplace().count = count;
  admit(run, kArrayTime);
  return run;
}

ElementEnd end(int64_t index, RunPhase phase, std::optional<int64_t> rc = {}) {
  return {index, phase, contracts::element_name("sweep", index), "R", "m", rc};
}

const contracts::ArrayStatus& status(const contracts::Run& array) { return *array.status.array; }

TEST(Arrays, ANewOneHasItAllToMake) {
  const contracts::Run array = array_of(100);
  EXPECT_EQ(array.status.phase, RunPhase::kPending);
  EXPECT_EQ(status(array).pending, 100);
  EXPECT_EQ(elements_to_make(array, 1000), 100);
  EXPECT_EQ(elements_to_make(array, 7), 7) << "the queue has room for no more";
  EXPECT_EQ(elements_to_make(array, -3), 0);
  EXPECT_FALSE(array_end(array));
}

TEST(Arrays, NoMoreLiveThanMaxParallel) {
  contracts::Run array = array_of(100);
  array.spec.array->max_parallel = 8;
  EXPECT_EQ(elements_to_make(array, 1000), 8);
  ASSERT_TRUE(note_made(array, 8).ok());
  EXPECT_EQ(elements_to_make(array, 1000), 0);
  EXPECT_EQ(status(array).active, 8);
  EXPECT_EQ(status(array).pending, 92);
  ASSERT_TRUE(count_ends(array, {end(3, RunPhase::kSucceeded), end(7, RunPhase::kFailed)}).ok());
  EXPECT_EQ(elements_to_make(array, 1000), 2);
}

TEST(Arrays, AnIndexIsCountedOnceHoweverOftenItsEndIsTold) {
  contracts::Run array = array_of(4);
  ASSERT_TRUE(note_made(array, 4).ok());
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(count_ends(array, {end(1, RunPhase::kFailed, 3), end(0, RunPhase::kSucceeded),
                                   end(1, RunPhase::kSucceeded), end(9, RunPhase::kFailed)})
                    .ok());
  EXPECT_EQ(status(array).succeeded, 1);
  EXPECT_EQ(status(array).failed, 1);
  EXPECT_EQ(status(array).active, 2);
  EXPECT_EQ(status(array).completed_indexes, "0");
  EXPECT_EQ(status(array).failed_indexes, "1");
  ASSERT_TRUE(status(array).first_failure);
  EXPECT_EQ(status(array).first_failure->run, "sweep-1");
  EXPECT_EQ(status(array).first_failure->rc, 3);
}

struct Over {
  std::vector<ElementEnd> ends;
  RunPhase phase;
  std::string reason;
};

TEST(Arrays, HowItEndsFollowsFromItsElements) {
  const Over cases[] = {
      {{end(0, RunPhase::kSucceeded), end(1, RunPhase::kSucceeded)}, RunPhase::kSucceeded, ""},
      {{end(0, RunPhase::kFailed), end(1, RunPhase::kSucceeded)},
       RunPhase::kFailed,
       kFailedIndexes},
      {{end(0, RunPhase::kFailed), end(1, RunPhase::kCanceled)}, RunPhase::kFailed, kFailedIndexes},
      {{end(0, RunPhase::kSucceeded), end(1, RunPhase::kCanceled)},
       RunPhase::kCanceled,
       kCancelRequested},
  };
  for (const Over& each : cases) {
    contracts::Run array = array_of(2);
    ASSERT_TRUE(note_made(array, 2).ok());
    ASSERT_TRUE(count_ends(array, {each.ends[0]}).ok());
    EXPECT_FALSE(array_end(array)) << "one lives";
    ASSERT_TRUE(count_ends(array, {each.ends[1]}).ok());
    const auto over = array_end(array);
    ASSERT_TRUE(over);
    EXPECT_EQ(over->phase, each.phase);
    EXPECT_EQ(over->reason, each.reason);
  }
}

TEST(Arrays, OneThatIsCanceledMakesNoMoreAndEndsOnceNothingLives) {
  contracts::Run array = array_of(10);
  ASSERT_TRUE(note_made(array, 4).ok());
  ASSERT_TRUE(count_ends(array, {end(0, RunPhase::kSucceeded)}).ok());
  EXPECT_EQ(request_cancel(array, kArrayTime).size(), 1u);
  EXPECT_TRUE(request_cancel(array, kArrayTime).empty()) << "asking again changes nothing";
  EXPECT_EQ(array.status.phase, RunPhase::kPending);
  EXPECT_EQ(elements_to_make(array, 1000), 0);
  EXPECT_FALSE(array_end(array)) << "three live";
  ASSERT_TRUE(count_ends(array, {end(1, RunPhase::kCanceled), end(2, RunPhase::kCanceled),
                                 end(3, RunPhase::kCanceled)})
                  .ok());
  ASSERT_TRUE(give_up_unmade(array).ok());
  const auto over = array_end(array);
  ASSERT_TRUE(over);
  EXPECT_EQ(end_array(array, *over, kArrayTime).size(), 2u);
  EXPECT_EQ(array.status.phase, RunPhase::kCanceled);
  EXPECT_EQ(status(array).canceled_indexes, "1-9");
  EXPECT_EQ(status(array).canceled, 9);
  EXPECT_EQ(status(array).pending, 0);
}

TEST(Arrays, ACancelThatComesAfterTheLastEndChangesNoResult) {
  contracts::Run array = array_of(1);
  ASSERT_TRUE(note_made(array, 1).ok());
  (void)request_cancel(array, kArrayTime);
  ASSERT_TRUE(count_ends(array, {end(0, RunPhase::kFailed)}).ok());
  EXPECT_EQ(array_end(array)->phase, RunPhase::kFailed);
}

TEST(Arrays, HaveNoNodeToLose) {
  contracts::Run array = array_of(2);
  EXPECT_EQ(start_array(array, kArrayTime).size(), 1u);
  EXPECT_TRUE(lose_node(array, "gone", kArrayTime).empty());
  EXPECT_TRUE(evict(array, {kNodeDrained, "drained"}, kArrayTime).empty());
  EXPECT_EQ(array.status.phase, RunPhase::kRunning);
}

TEST(Arrays, MoreFailuresThanAllowedEndItEarly) {
  contracts::Run array = array_of(10);
  array.spec.array->max_failed_indexes = 1;
  ASSERT_TRUE(note_made(array, 3).ok());
  ASSERT_TRUE(count_ends(array, {end(0, RunPhase::kFailed)}).ok());
  EXPECT_EQ(stop_of(array), ArrayStop::kNone) << "one at the limit";
  ASSERT_TRUE(count_ends(array, {end(1, RunPhase::kFailed)}).ok());
  EXPECT_EQ(stop_of(array), ArrayStop::kTooManyFailed);
  EXPECT_EQ(elements_to_make(array, 1000), 0);
  EXPECT_FALSE(array_end(array));
  ASSERT_TRUE(count_ends(array, {end(2, RunPhase::kCanceled)}).ok());
  EXPECT_EQ(array_end(array)->reason, kMaxFailedIndexes);
}

TEST(Arrays, ADeadlineEndsTheWhole) {
  contracts::Run array = array_of(10);
  array.spec.deadline = wire::Duration{Millis(1000)};
  EXPECT_EQ(expire(array, kArrayTime).size(), 1u);
  EXPECT_TRUE(expire(array, kArrayTime).empty());
  EXPECT_EQ(elements_to_make(array, 1000), 0);
  EXPECT_EQ(array_end(array)->phase, RunPhase::kFailed);
  EXPECT_EQ(array_end(array)->reason, kDeadlineExceeded);
}

TEST(Arrays, AnElementIsARunWithWhatWasPinned) {
  contracts::Run array = array_of(300);
  array.metadata.finalizers = {"example.com/keep"};
  array.status.workspace_root = "abc";
  array.status.environment["HOME"] = "/home";
  contracts::Run run = make_element(array, 255, WallTime{0x123456789abc});
  admit(run, kArrayTime);
  EXPECT_EQ(run.metadata.name, "sweep-255");
  EXPECT_EQ(run.metadata.uid, "6f1c2a34-5b6d-4e7f-8a9b-56789abc00ff");
  EXPECT_EQ(run.metadata.labels.at("paddock.dev/array"), "sweep");
  EXPECT_EQ(run.metadata.labels.at("paddock.dev/array-index"), "255");
  EXPECT_EQ(run.metadata.labels.at("team"), "search");
  EXPECT_TRUE(run.metadata.finalizers.empty());
  EXPECT_FALSE(run.spec.array);
  EXPECT_EQ(run.spec.command.argv, array.spec.command.argv);
  EXPECT_EQ(run.status.workspace_root, "abc");
  EXPECT_EQ(run.status.environment.at("PADDOCK_ARRAY_INDEX"), "255");
  EXPECT_EQ(run.status.environment.at("PADDOCK_ARRAY_COUNT"), "300");
  EXPECT_EQ(run.status.environment.at("HOME"), "/home");
  EXPECT_TRUE(is_element_of(run, array));
  array.metadata.uid = "another";
  EXPECT_FALSE(is_element_of(run, array));
}

TEST(Arrays, AnElementsNameIsReadOnlyAsItIsWritten) {
  const auto name = contracts::parse_element_name("a-b-12");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->array, "a-b");
  EXPECT_EQ(name->index, 12);
  for (const char* other : {"a", "a-", "-1", "a-01", "a-1x", "a-99999999999999999999", "a--1x"})
    EXPECT_FALSE(contracts::parse_element_name(other)) << other;
}

TEST(Arrays, AStatusThatIsNoneIsAnError) {
  contracts::Run array = array_of(3);
  array.status.array->failed_indexes = "2-1";
  EXPECT_FALSE(count_ends(array, {}).ok());
}

}  // namespace
}  // namespace paddock::runs
