#include "node-agent/sandbox/result/head_and_tail.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

std::string marked(int64_t budget, int64_t left_out) {
  return cat("\n[TRUNCATED at ", budget, " bytes]\n[", left_out, " bytes are left out here]\n");
}

// proves: WSM-33, VLT-81
TEST(HeadAndTail, IsWholeAtItsBudgetAndTellsWhatIsLeftOutOneByteLater) {
  EXPECT_EQ(head_and_tail("", 6), "");
  EXPECT_EQ(head_and_tail("123456", 6), "123456");
  EXPECT_EQ(head_and_tail("1234567", 6), "123" + marked(6, 1) + "567");
  EXPECT_EQ(head_and_tail("12", 1), "1" + marked(1, 1));
  EXPECT_EQ(head_and_tail("12", 0), marked(0, 2));
}

TEST(HeadAndTail, HandsTheHeadOnAtOnceAndKeepsTheTailHoweverItComes) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += cat(i, "\n");
  const std::string whole = head_and_tail(text, 1'000);
  EXPECT_EQ(whole.substr(0, 500), text.substr(0, 500));
  EXPECT_EQ(whole.substr(whole.size() - 500), text.substr(text.size() - 500));
  for (const size_t piece :
       {size_t{1}, size_t{7}, size_t{499}, size_t{500}, size_t{501}, size_t{4096}}) {
    HeadAndTail kept(1'000);
    std::string out;
    for (size_t at = 0; at < text.size(); at += piece) {
      out += kept.append(std::string_view(text).substr(at, piece));
      const size_t there = at + std::min(piece, text.size() - at);
      EXPECT_EQ(out.size(), std::min<size_t>(500, there) + (there > 1'000 ? 27 : 0));
    }
    EXPECT_EQ(out + kept.rest(), whole) << piece;
    EXPECT_EQ(kept.written(), static_cast<int64_t>(text.size()));
  }
}

TEST(HeadAndTail, CutsNoCharacterAndKeepsBytesThatAreNone) {
  for (const std::string_view letter : {"\u00e9", "\u20ac", "\U0001f600"}) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += letter;
    for (int64_t budget = 0; budget <= std::ssize(text); ++budget) {
      HeadAndTail kept(budget);
      std::string out;
      for (const char c : text) {
        out += kept.append({&c, 1});
        EXPECT_TRUE(is_utf8(out));
      }
      EXPECT_TRUE(is_utf8(out + kept.rest())) << budget;
    }
    EXPECT_EQ(head_and_tail(text, std::ssize(text)), text);
  }
  EXPECT_EQ(head_and_tail(std::string(9, '\xff'), 8),
            std::string(4, '\xff') + marked(8, 1) + std::string(4, '\xff'));
  HeadAndTail torn(8);
  EXPECT_EQ(torn.append("a\xe2\x82"), "a");
  EXPECT_EQ(torn.rest(), "\xe2\x82") << "nothing is lost that fits";
}

TEST(HeadAndTail, NeedsNoMoreThanItsTailHoweverLargeTheBudget) {
  HeadAndTail kept(int64_t{1} << 40);
  const std::string piece(1 << 20, 'x');
  EXPECT_EQ(kept.append(piece).size(), piece.size());
  EXPECT_EQ(kept.rest(), "");
}

}  // namespace
}  // namespace paddock::sandbox
