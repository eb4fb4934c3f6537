#include "node-agent/sandbox/result/output.h"

#include <gtest/gtest.h>

#include "node-agent/sandbox/result/output_budget.h"

namespace paddock::sandbox {
namespace {

constexpr MonoTime kFirst{1000};

// proves: WSM-33, WSM-34, WSM-38
TEST(OutputStream, IsWholeAtExactlyItsCapAndTruncatedOneByteLater) {
  OutputStream stream(5, 100);
  stream.append("12345", kFirst);
  EXPECT_FALSE(stream.truncated());
  EXPECT_EQ(stream.take_pending(), "123") << "the rest may be the tail";
  EXPECT_EQ(stream.excerpt(), "12345");
  stream.append("6", kFirst);
  EXPECT_TRUE(stream.truncated());
  EXPECT_EQ(stream.take_pending(), "\n[TRUNCATED at 5 bytes]\n");
  stream.append("7", kFirst);
  EXPECT_EQ(stream.take_pending(), "");
  EXPECT_EQ(stream.written(), 7);
  stream.finish(kFirst);
  EXPECT_EQ(stream.take_pending(), "[2 bytes are left out here]\n67");
  EXPECT_EQ(stream.excerpt(), "123\n[TRUNCATED at 5 bytes]\n[2 bytes are left out here]\n67");
}

TEST(OutputStream, CutsInsideAPieceAndMarksOnce) {
  OutputStream stream(3, 2);
  stream.append("abcdef", kFirst);
  stream.finish(kFirst);
  EXPECT_EQ(stream.take_pending(), "ab\n[TRUNCATED at 3 bytes]\n[3 bytes are left out here]\nf");
  EXPECT_EQ(stream.excerpt(), "a\n[TRUNCATED at 2 bytes]\n[4 bytes are left out here]\nf");
}

// The letter of another character set, or what a file transfer sends, is no character's beginning.
TEST(OutputStream, OfATerminalIsHandedOnAtOnceToTheLastByteAndNotKept) {
  OutputStream stream(1 << 20, 0);
  stream.hand_on_at_once();
  for (const std::string_view bytes : {"caf\xe9", "\xf0\x9f", "x"}) {
    stream.append(bytes, kFirst);
    EXPECT_TRUE(stream.due(kFirst));
    EXPECT_EQ(stream.take_pending(), bytes);
  }
  stream.finish(kFirst);
  EXPECT_EQ(stream.take_pending(), "");
  EXPECT_EQ(stream.written(), 7);
  EXPECT_FALSE(stream.truncated());
  EXPECT_FALSE(stream.excerpt_truncated());
}

TEST(OutputStream, WaitsForMoreButNotLong) {
  OutputStream stream(1 << 20, 0);
  stream.append("x", kFirst);
  EXPECT_FALSE(stream.due(kFirst));
  EXPECT_TRUE(stream.due(kFirst + Millis(50)));
  stream.append(std::string(OutputStream::kFrameBytes, 'x'), kFirst);
  EXPECT_TRUE(stream.due(kFirst));
}

TEST(OutputStream, KeepsNoMoreThanItsCapHoweverMuchComes) {
  OutputStream stream(10, 10);
  for (int i = 0; i < 1000; ++i) stream.append(std::string(1000, 'x'), kFirst);
  EXPECT_LT(stream.take_pending().size(), 64u);
  EXPECT_EQ(stream.written(), 1'000'000);
}

TEST(OutputBudget, WhatIsKeptIsReadAsFastAsItComes) {
  OutputBudget budget;
  constexpr int kPipesFull = 500;  // of 64 KiB, in no time
  for (int i = 0; i < kPipesFull; ++i) budget.spend(MonoTime{1}, 0);
  EXPECT_FALSE(budget.rests_until(MonoTime{1}));
}

TEST(OutputBudget, WhatIsBeyondTheLimitWaitsForTheNextWindow) {
  OutputBudget budget;
  budget.spend(MonoTime{1}, OutputBudget::kBytes);
  EXPECT_EQ(budget.rests_until(MonoTime{1}), MonoTime{1} + OutputBudget::kWindow);
  EXPECT_FALSE(budget.rests_until(MonoTime{1} + OutputBudget::kWindow));
}

TEST(OutputBudget, SoDoBytesThatComeOneByOne) {
  OutputBudget budget;
  for (int64_t i = 0; i < OutputBudget::kBytes / OutputBudget::kRead; ++i)
    budget.spend(MonoTime{1}, 0);
  EXPECT_TRUE(budget.rests_until(MonoTime{1}));
}

TEST(Output, KnowsWhatIsBeyondItsLimit) {
  OutputStream stream(4, 4);
  stream.append("abc", MonoTime{1});
  EXPECT_EQ(stream.beyond(), 0);
  stream.append("defg", MonoTime{1});
  EXPECT_EQ(stream.beyond(), 3);
}

}  // namespace
}  // namespace paddock::sandbox
