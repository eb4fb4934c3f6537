#include "node-agent/sandbox/linux/notify/answer_budget.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

TEST(AnswerBudget, RestsUntilTheWindowEnds) {
  AnswerBudget budget;
  const MonoTime start{1000};
  for (int i = 0; i < AnswerBudget::kAnswers - 1; ++i) budget.spend(start, 1);
  EXPECT_FALSE(budget.rests_until(start));
  budget.spend(start, 1);
  EXPECT_EQ(budget.rests_until(start), start + AnswerBudget::kWindow);
  EXPECT_FALSE(budget.rests_until(start + AnswerBudget::kWindow));
  budget.spend(start + AnswerBudget::kWindow, AnswerBudget::kAnswers);
  EXPECT_EQ(budget.rests_until(start + AnswerBudget::kWindow),
            start + AnswerBudget::kWindow + AnswerBudget::kWindow);
}

}  // namespace
}  // namespace paddock::sandbox
