#include "cli/output/line_stamps.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(LineStamps, StandBeforeEachLineOnceHoweverItArrives) {
  LineStamps stamps;
  EXPECT_EQ(stamps.stamped({1, 1000, "stdout", "one\ntw"}),
            "1970-01-01T00:00:01.000Z one\n1970-01-01T00:00:01.000Z tw");
  EXPECT_EQ(stamps.stamped({2, 2000, "stderr", "o\nthree\n"}),
            "o\n1970-01-01T00:00:02.000Z three\n");
  EXPECT_EQ(stamps.stamped({3, 3000, "stdout", "four"}), "1970-01-01T00:00:03.000Z four");
}

}  // namespace
}  // namespace paddock::cli
