#include "node-agent/sandbox/linux/notify/answer_rate_limiter.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

TEST(AnswerRateLimiter, RestsUntilTheWindowEnds) {
  AnswerRateLimiter budget;
  const MonoTime start{1000};
  for (int i = 0; i < AnswerRateLimiter::kAnswers - 1; ++i) budget.spend(start, 1);
  EXPECT_FALSE(budget.rests_until(start));
  budget.spend(start, 1);
  EXPECT_EQ(budget.rests_until(start), start + AnswerRateLimiter::kWindow);
  EXPECT_FALSE(budget.rests_until(start + AnswerRateLimiter::kWindow));
  budget.spend(start + AnswerRateLimiter::kWindow, AnswerRateLimiter::kAnswers);
  EXPECT_EQ(budget.rests_until(start + AnswerRateLimiter::kWindow),
            start + AnswerRateLimiter::kWindow + AnswerRateLimiter::kWindow);
}

}  // namespace
}  // namespace paddock::sandbox
