#include "cli/terminal/elapsed.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(Elapsed, IsReadAsOneNumberAndNeverRoundedUp) {
  const auto text = [](int64_t ms) { return elapsed_text(Millis(ms)); };
  EXPECT_EQ(text(0), "0ms");
  EXPECT_EQ(text(999), "999ms");
  EXPECT_EQ(text(1'000), "1.0s");
  EXPECT_EQ(text(31'039), "31.0s");
  EXPECT_EQ(text(59'999), "59.9s");
  EXPECT_EQ(text(60'000), "1m0s");
  EXPECT_EQ(text(3'599'999), "59m59s");
  EXPECT_EQ(text(7'500'000), "2h5m");
}

}  // namespace
}  // namespace paddock::cli
