#include "common/contracts/not_executed.h"

#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

RunResult ended_with(int64_t code) {
  RunResult out;
  out.exit_code = code;
  return out;
}

TEST(NotExecuted, IsWhatEndsWithTheShellsCodesWithoutAWord) {
  EXPECT_TRUE(was_not_executed(ended_with(126), true));
  EXPECT_TRUE(was_not_executed(ended_with(127), true));
  EXPECT_FALSE(was_not_executed(ended_with(127), false)) << "a shell that said so itself";
  for (const int64_t code : {0, 1, 125, 128})
    EXPECT_FALSE(was_not_executed(ended_with(code), true)) << code;
}

TEST(NotExecuted, IsNothingThatALimitOrSomebodyEnded) {
  RunResult canceled = ended_with(126);
  canceled.error_class = "CANCELLED";
  EXPECT_FALSE(was_not_executed(canceled, true));
}

}  // namespace
}  // namespace paddock::contracts
