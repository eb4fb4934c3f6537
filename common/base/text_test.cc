#include "common/base/text.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(Text, ConcatenatesStringsCharactersAndNumbers) {
  EXPECT_EQ(cat("a", 'b', 3, true, std::string("c"), int64_t{-4}), "ab3truec-4");
}

TEST(Text, SplitsAndJoinsWithoutLosingEmptyParts) {
  EXPECT_EQ(split("a//b/", '/'), (std::vector<std::string>{"a", "", "b", ""}));
  EXPECT_EQ(split("", '/'), (std::vector<std::string>{""}));
  EXPECT_EQ(join(split("a//b/", '/'), "/"), "a//b/");
}

TEST(Text, TrimsWhiteSpaceAtBothEnds) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Text, ReadsIntegersOnlyWhenTheWholeTextIsOne) {
  EXPECT_EQ(parse_integer<int>("-12"), -12);
  EXPECT_EQ(parse_integer<uint8_t>("255"), 255);
  EXPECT_EQ(parse_integer<uint8_t>("256"), std::nullopt);
  for (const char* text : {"", "1 ", " 1", "+1", "1x", "0x1", "-"})
    EXPECT_EQ(parse_integer<int>(text), std::nullopt);
}

TEST(Utf8, AcceptsWellFormedTextOnly) {
  for (const char* text : {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                           "\xF4\x8F\xBF\xBF", "\xEE\x80\x80"}) {
    EXPECT_TRUE(is_utf8(text));
  }
  for (const char* text :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "\xF0\x9F\x98"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

TEST(Utf8, NamesWhereTheFirstFaultIs) {
  EXPECT_EQ(utf8_prefix("abc"), 3U);
  EXPECT_EQ(utf8_prefix("a\xC3\xA9\xFFz"), 3U);
}

TEST(Utf8, ReplacesEachMalformedByteAndKeepsTheRest) {
  EXPECT_EQ(to_utf8_lossy("a\xFF\xC3\xA9\xE2\x82z"),
            "a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBDz");
  EXPECT_TRUE(is_utf8(to_utf8_lossy("\xED\xA0\x80\xF4\x90")));
}

TEST(Base64, IsReadBackAsWritten) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(decode_base64(base64(bytes)), bytes);
  }
}

TEST(Base64, RefusesMissingPaddingWhiteSpaceAndOtherAlphabets) {
  for (const char* text :
       {"Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm9 ", "Zm9\n", "Zm-_", "=Zm9"}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

TEST(Base64, RefusesASecondSpellingOfTheSameBytes) {
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  for (const char* text : {"Zh==", "Zv==", "Zm9=", "Zm+="})
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
}

TEST(Hex, WritesLowerCase) { EXPECT_EQ(hex(std::string_view("\x00\xAB\xff", 3)), "00abff"); }

}  // namespace
}  // namespace paddock
