#include "node-agent/executor/kept_count.h"

#include <gtest/gtest.h>

#include "common/base/time.h"

namespace paddock::executor {
namespace {

TEST(KeptCount, IsKeptForThreeTimesAsLongAsItTookWithWhatWasPutThereSince) {
  ManualClock clock;
  KeptCount kept(clock);
  int counts = 0;
  const auto count = [&] {
    clock.advance(Millis(1'000));
    return os::FolderUse{.bytes = 100 * ++counts, .files = counts};
  };
  EXPECT_EQ(kept.use(count).bytes, 100);
  kept.add(7, 1);
  clock.advance(Millis(2'999));
  EXPECT_EQ(kept.use(count).bytes, 107);
  EXPECT_EQ(kept.use(count).files, 2);
  clock.advance(Millis(1));
  EXPECT_EQ(kept.use(count).bytes, 200);
  EXPECT_EQ(counts, 2);
}

TEST(KeptCount, OfASmallFolderIsMadeEachTime) {
  ManualClock clock;
  KeptCount kept(clock);
  int counts = 0;
  const auto count = [&] { return os::FolderUse{.bytes = ++counts}; };
  EXPECT_EQ(kept.use(count).bytes, 1);
  EXPECT_EQ(kept.use(count).bytes, 2);
}

}  // namespace
}  // namespace paddock::executor
