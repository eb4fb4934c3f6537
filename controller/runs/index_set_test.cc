#include "controller/runs/index_set.h"

#include <set>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace paddock::runs {
namespace {

TEST(IndexSet, IsWrittenAsRanges) {
  IndexSet set;
  EXPECT_EQ(set.text(), "");
  for (const int64_t index : {3, 1, 0, 12, 2}) EXPECT_TRUE(set.insert(index));
  EXPECT_EQ(set.text(), "0-3,12");
  EXPECT_FALSE(set.insert(2));
  set.insert_range(4, 11);
  EXPECT_EQ(set.text(), "0-12");
  set.insert_range(20, 19);
  EXPECT_EQ(set.size(), 13);
}

TEST(IndexSet, ReadsWhatItWroteAndNothingElse) {
  for (const char* text : {"", "0", "0-9", "0-9,12", "7,9,11-13"}) {
    const auto set = IndexSet::parse(text);
    ASSERT_TRUE(set.ok()) << text;
    EXPECT_EQ(set->text(), text);
  }
  for (const char* text : {"-", "1-", "-1", "3-2", "5,4", "1,1", "0-4,4-9", "a", "1,,2", " 1"})
    EXPECT_FALSE(IndexSet::parse(text).ok()) << text;
}

TEST(IndexSet, TellsTheLowestOnes) {
  const IndexSet set = IndexSet::parse("3-5,9").value();
  EXPECT_EQ(set.first(2), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(set.first(9), (std::vector<int64_t>{3, 4, 5, 9}));
  EXPECT_TRUE(IndexSet().first(1).empty());
}

TEST(IndexSet, HoldsWhatWasPutIntoItInAnyOrder) {
  SeededRandom random(7);
  std::set<int64_t> expected;
  IndexSet set;
  for (int i = 0; i < 3000; ++i) {
    const auto index = static_cast<int64_t>(random.next() % 1000);
    EXPECT_EQ(set.insert(index), expected.insert(index).second);
  }
  EXPECT_EQ(set.size(), static_cast<int64_t>(expected.size()));
  const auto again = IndexSet::parse(set.text());
  ASSERT_TRUE(again.ok());
  for (int64_t index = 0; index < 1000; ++index)
    EXPECT_EQ(again->contains(index), expected.contains(index)) << index;
}

}  // namespace
}  // namespace paddock::runs
