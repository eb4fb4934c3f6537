#include "node-agent/sandbox/linux/notify/filter_count.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

constexpr pid_t kShell = 10, kBrowser = 11, kChild = 12;

FilterCount after(pid_t process, int times) {
  FilterCount out;
  for (int i = 0; i < times; ++i) out.add(process, i);
  return out;
}

TEST(FilterCount, IsFullAtItsBound) {
  EXPECT_FALSE(after(kShell, FilterCount::kMost - 1).full());
  EXPECT_TRUE(after(kShell, FilterCount::kMost).full());
}

TEST(FilterCount, TakesBackWhatEndedWithItsProcess) {
  FilterCount count = after(kBrowser, 3);
  count.recount({{kShell, {0}}, {kBrowser, {3}}});
  EXPECT_EQ(count.held(), 3);
  count.recount({{kShell, {0}}});
  EXPECT_EQ(count.held(), 0);
}

// The count of one thread says nothing of what the others have.
TEST(FilterCount, KeepsWhatAnyThreadOfAProcessMayHave) {
  FilterCount count = after(kBrowser, 40);
  count.recount({{kBrowser, {.filters = 0, .threads = 2}}});
  EXPECT_EQ(count.held(), 40);
}

// What the kernel has refused, too; but what it is just asked for comes.
TEST(FilterCount, BelievesASingleThread) {
  FilterCount count = after(kBrowser, 40);
  count.recount({{kBrowser, {.filters = 2, .threads = 1}}});
  EXPECT_EQ(count.held(), 3);
}

TEST(FilterCount, KeepsWhatAChildHasInherited) {
  FilterCount count = after(kBrowser, 5);
  count.recount({{kChild, {5}}});
  EXPECT_EQ(count.held(), 5);
  count.add(kChild, 5);
  EXPECT_EQ(count.held(), 6);
  count.recount({{kChild, {.filters = 0, .threads = 2}}});
  EXPECT_EQ(count.held(), 6) << "it was seen with five before its own";
}

TEST(FilterCount, IsNeverMoreThanWasLetThrough) {
  FilterCount count = after(kBrowser, 5);
  count.recount({{kBrowser, {5}}, {kChild, {5}}, {kShell, {5}}});
  EXPECT_EQ(count.held(), 5);
}

// A number that is another process's by now.
TEST(FilterCount, TakesTheGreaterOfWhatANumberStoodFor) {
  FilterCount count = after(kBrowser, 20);
  count.add(kChild, 0);
  count.recount({{kChild, {.filters = 7, .threads = 2}}});
  EXPECT_EQ(count.held(), 7);
  count.add(kChild, 7);
  EXPECT_EQ(count.held(), 8);
}

}  // namespace
}  // namespace paddock::sandbox
