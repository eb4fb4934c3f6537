#include "common/base/control_text.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(ControlText, IsWhatATerminalActsOn) {
  EXPECT_EQ(control_length("\x1b[m"), 1U);
  EXPECT_EQ(control_length("\x7f"), 1U);
  EXPECT_EQ(control_length("\xc2\x9b"), 2U) << "C1: the other way to begin a sequence";
  EXPECT_EQ(control_length("\xd8\x9c"), 2U);
  for (const char* mark :
       {"\xe2\x80\x8e", "\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"})
    EXPECT_EQ(control_length(mark), 3U) << mark;
}

TEST(ControlText, IsShownAsAProgrammerWritesIt) {
  EXPECT_EQ(escape_controls("r\xc3\xa9sum\xc3\xa9 \\n"), "r\xc3\xa9sum\xc3\xa9 \\n");
  EXPECT_EQ(escape_controls("a\nb\tc\r\x1b[0m\x7f"), "a\\nb\\tc\\r\\x1b[0m\\x7f");
  EXPECT_EQ(escape_controls("\xc2\x9b\xd8\x9c\xe2\x80\xae\xe2\x81\xa9"),
            "\\u009b\\u061c\\u202e\\u2069");
  EXPECT_EQ(escape_controls(std::string_view("\0", 1)), "\\x00");
}

TEST(ControlText, IsNoOtherCharacterAndNoPartOfOne) {
  for (const char* text :
       {"a", " ", "\xc2\xa0", "\xc3\x9b", "\xe2\x80\x93", "\xe2\x81\xaa", "\xe2", "\xc2", ""})
    EXPECT_EQ(control_length(text), 0U) << text;
  EXPECT_FALSE(has_control("r\xc3\xa9sum\xc3\xa9 \xe2\x80\x93 2"));
  EXPECT_TRUE(
      has_control("a\xe2\x80\xae"
                  "b"));
}

}  // namespace
}  // namespace paddock
