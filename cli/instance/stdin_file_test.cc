#include "cli/instance/stdin_file.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

class Stdin : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(os::make_dirs(folder_).ok());
    ASSERT_TRUE(os::write_file_atomic(folder_ + "/in.txt", "inside").ok());
    ASSERT_TRUE(os::write_file_atomic(folder_ + "/left.out", "ignored").ok());
    ASSERT_TRUE(os::write_file_atomic(outside_, "outside").ok());
    scan_.tree.entries = {{"a", std::string(64, 'a'), 1, false},
                          {"in.txt", std::string(64, 'b'), 6, false}};
  }
  void TearDown() override { (void)os::remove_tree(testing::TempDir() + "stdin-test"); }

  ManualClock clock_;
  SeededRandom random_{1};
  std::string folder_ = testing::TempDir() + "stdin-test/project";
  std::string outside_ = testing::TempDir() + "stdin-test/outside.txt";
  Env env_{{}, folder_, "/usr/bin", false, false, {}, {}, clock_, random_};
  cas::Scan scan_;
};

TEST_F(Stdin, IsAFileOfTheProjectWhereItIsOne) {
  const auto file = StdinFile::open("./in.txt", env_);
  ASSERT_TRUE(file.ok()) << file.error().describe();
  EXPECT_EQ(file->add_to(scan_, folder_).value(), "in.txt");
  EXPECT_EQ(scan_.tree.entries.size(), 2U);
  EXPECT_TRUE(scan_.added.empty());
}

TEST_F(Stdin, IsSentAlongWhereItIsNone) {
  for (const std::string& source : {outside_, std::string("left.out")}) {
    cas::Scan scan = scan_;
    const auto file = StdinFile::open(source, env_);
    ASSERT_TRUE(file.ok()) << source;
    EXPECT_EQ(file->add_to(scan, folder_).value(), kStdinName);
    ASSERT_EQ(scan.tree.entries.size(), 3U);
    EXPECT_EQ(scan.tree.entries[0].path, kStdinName) << "in the order of a tree";
    EXPECT_EQ(scan.tree.entries[0].size, 7);
    EXPECT_EQ(scan.added.count(std::string(kStdinName)), 1U);
  }
}

TEST_F(Stdin, ANameOfOursIsNotTakenFromTheProject) {
  scan_.tree.entries.insert(scan_.tree.entries.begin(),
                            {std::string(kStdinName), std::string(64, 'c'), 1, false});
  const auto file = StdinFile::open(outside_, env_);
  EXPECT_EQ(file->add_to(scan_, folder_).error().reason, "STDIN_NAME_TAKEN");
}

TEST_F(Stdin, WhatIsNoFileIsRefusedAtOnce) {
  const std::string fifo = folder_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& source :
       {std::string("none.txt"), folder_, fifo, std::string("/dev/null")}) {
    const auto refused = StdinFile::open(source, env_);
    ASSERT_FALSE(refused.ok()) << source;
    EXPECT_EQ(refused.error().reason, "STDIN_UNREADABLE") << source;
    EXPECT_EQ(refused.error().causes.at(0).field, "--stdin");
  }
}

}  // namespace
}  // namespace paddock::cli
