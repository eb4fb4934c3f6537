#include "node-agent/executor/input_file.h"

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::executor {
namespace {

class Input : public testing::Test {
 protected:
  std::string path() const { return folder_ / "input"; }
  std::string content() const { return os::read_file(path()).value(); }
  test::TempDir folder_;
};

// proves: OD-59
TEST_F(Input, HoldsEachLineOnceHoweverOftenItIsGiven) {
  InputFile file = InputFile::open(path()).value();
  EXPECT_TRUE(file.append({{1, "a\n"}, {2, "b\n"}}).value());
  EXPECT_FALSE(file.append({{1, "a\n"}, {2, "b\n"}}).value());
  EXPECT_TRUE(file.append({{2, "b\n"}, {3, "c\n"}}).value());
  EXPECT_EQ(content(), "a\nb\nc\n");
  InputFile again = InputFile::open(path()).value();
  EXPECT_EQ(again.lines(), 3);
  EXPECT_FALSE(again.append({{3, "c\n"}}).value());
}

TEST_F(Input, LosesHalfALineOfAnAgentThatWasKilled) {
  ASSERT_TRUE(os::write_file_atomic(path(), "a\nhal").ok());
  InputFile file = InputFile::open(path()).value();
  EXPECT_EQ(file.lines(), 1);
  EXPECT_TRUE(file.append({{2, "half\n"}}).value());
  EXPECT_EQ(content(), "a\nhalf\n");
}

TEST_F(Input, TakesNothingThatIsNotTheNextLine) {
  InputFile file = InputFile::open(path()).value();
  EXPECT_FALSE(file.append({{2, "late\n"}, {1, "two\nlines\n"}, {1, "no end"}}).value());
  EXPECT_EQ(file.lines(), 0);
}

TEST_F(Input, KnowsWhenNobodyReadsItAnyMore) {
  InputFile file = InputFile::open(path()).value();
  EXPECT_FALSE(file.look_whether_closed());
  ASSERT_TRUE(os::write_file_atomic(path() + ".closed", "").ok());
  EXPECT_TRUE(file.look_whether_closed());
}

}  // namespace
}  // namespace paddock::executor
