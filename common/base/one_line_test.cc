#include "common/base/one_line.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(OneLine, HasNothingThatATerminalActsOn) {
  EXPECT_EQ(one_line("a\r\nb\t\x1b[31m\x7f", 100), "a??b??[31m?");
  EXPECT_EQ(one_line("a\xc2\x9b"
                     "b\xe2\x80\xa8"
                     "c\xe2\x80\xae",
                     100),
            "a?b?c?");
  EXPECT_EQ(one_line("a\nb", 100, ' '), "a b");
  EXPECT_EQ(one_line("r\xc3\xa9sum\xc3\xa9 \xe2\x80\x93 2", 100),
            "r\xc3\xa9sum\xc3\xa9 \xe2\x80\x93 2");
  EXPECT_EQ(one_line("", 100), "");
}

TEST(OneLine, IsCutBetweenTwoCharacters) {
  EXPECT_EQ(one_line("ab\xc3\xa9", 4), "ab\xc3\xa9");
  EXPECT_EQ(one_line("ab\xc3\xa9", 3), "ab");
  EXPECT_EQ(one_line("abc", 2), "ab");
}

TEST(OneLine, OfBytesThatAreNoTextIsText) {
  EXPECT_EQ(one_line("a\xff\n", 100), "a\xef\xbf\xbd?");
  EXPECT_EQ(one_line("\xff", 2), "") << "what stands for it does not fit";
}

}  // namespace
}  // namespace paddock
