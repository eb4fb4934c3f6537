#include "common/base/reason.h"

#include <gtest/gtest.h>

#include "common/base/error.h"

namespace paddock {
namespace {

TEST(Reason, OfAnotherProgramIsKeptIfItIsAWord) {
  EXPECT_EQ(Reason::parse("STORE_FULL"), Reason("STORE_FULL"));
  EXPECT_EQ(Reason::parse("A_LATER_WORD").text(), "A_LATER_WORD");
  EXPECT_EQ(Reason::parse("NonZeroExit2").text(), "NonZeroExit2");
  EXPECT_EQ(Reason::parse(std::string(64, 'A')).text(), std::string(64, 'A'));
}

// What a hostile server or node says is neither long nor anything but a word.
TEST(Reason, OfAnotherProgramIsNoneIfItIsNoWord) {
  const std::string nul("A\0B", 3);
  for (const std::string& text :
       {std::string(), std::string(65, 'A'), std::string(1 << 20, 'A'), std::string("9A"),
        std::string("_A"), std::string("A B"), std::string("A\x1b[2J"), std::string("A\xC3\x84"),
        std::string("A\n"), nul})
    EXPECT_TRUE(Reason::parse(text).empty()) << text.size();
}

TEST(Reason, KnowsItsRowUnlessItIsAnotherPrograms) {
  ASSERT_NE(Reason("HOST_DENIED").row(), nullptr);
  EXPECT_EQ(Reason("HOST_DENIED").row()->http, 421);
  EXPECT_EQ(Reason("STREAM_LOST").row()->exit, reasons::kConnectionLost);
  EXPECT_EQ(Reason::parse("A_LATER_WORD").row(), nullptr);
  EXPECT_EQ(Reason::parse("A_LATER_WORD").remedy(), "");
  EXPECT_EQ(Reason().row(), nullptr);
}

TEST(Reason, HasTheRemedyOfTheRowAboveWhereItIsTheSame) {
  EXPECT_FALSE(Reason("STORE_FULL").remedy().empty());
  EXPECT_EQ(Reason("DISK_FULL").remedy(), Reason("STORE_FULL").remedy());
  for (const reasons::Row& row : reasons::kRows)
    EXPECT_FALSE(Reason::parse(row.word).remedy().empty()) << row.word;
}

TEST(Reason, OfAKindIsARowOfItsOwn) {
  EXPECT_EQ(Reason::of_kind("ToolToken", "NOT_FOUND"), Reason("TOOLTOKEN_NOT_FOUND"));
  EXPECT_DEATH((void)Reason::of_kind("Teapot", "NOT_FOUND"), "TEAPOT_NOT_FOUND");
}

TEST(Reason, IsOneOfSeveralWhetherOfAnErrorOrOfAnObject) {
  EXPECT_TRUE(is_one_of(Reason("USAGE"), {"STORE_FULL", "USAGE"}));
  EXPECT_TRUE(is_one_of(std::string("USAGE"), {"USAGE"}));
  EXPECT_FALSE(is_one_of(std::string("USAGE_"), {"USAGE"}));
  EXPECT_FALSE(is_one_of(std::string(), {"USAGE"}));
}

}  // namespace
}  // namespace paddock
