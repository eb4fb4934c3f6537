#include "node-agent/executor/launch_intents.h"

#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::executor {
namespace {

class Intents : public testing::Test {
 protected:
  std::string path() const { return folder_ / "launches"; }
  std::unique_ptr<LaunchIntents> open() {
    auto made = LaunchIntents::open(path());
    EXPECT_TRUE(made.ok()) << made.error().describe();
    return std::move(*made);
  }
  // As if all that is noted had been noted before the machine started anew.
  void lose_power() {
    std::string bytes = os::read_file(path()).value();
    for (size_t at = 0; at < bytes.size(); at += 128) {
      const size_t space = bytes.find(' ', at);
      if (space < at + 128) bytes[space + 1] = bytes[space + 1] == 'x' ? 'y' : 'x';
    }
    ASSERT_TRUE(os::write_file_atomic(path(), bytes).ok());
  }
  test::TempDir folder_;
};

// proves: ORB-24
TEST_F(Intents, OutliveTheirWriter) {
  ASSERT_TRUE(open()->note("a-1"));
  const auto later = open();
  EXPECT_TRUE(later->noted("a-1"));
  EXPECT_FALSE(later->noted("a-2"));
  EXPECT_FALSE(later->noted("a"));
}

TEST_F(Intents, AreForgottenForGood) {
  ASSERT_TRUE(open()->note("a-1"));
  open()->forget("a-1");
  EXPECT_FALSE(open()->noted("a-1"));
  open()->forget("a-1");
}

TEST_F(Intents, OfRunsWithoutAFolderCountOnlyAfterALossOfPower) {
  for (const char* run : {"gone-1", "here-1"}) ASSERT_TRUE(open()->note(run));
  open()->keep_only({"here-1"});
  EXPECT_FALSE(open()->noted("gone-1"));
  EXPECT_TRUE(open()->noted("here-1"));
  lose_power();
  for (int start = 0; start < 3; ++start) {
    open()->keep_only({});
    EXPECT_TRUE(open()->noted("here-1")) << "start " << start;
  }
}

TEST_F(Intents, GrowAndUseTheirPlacesAgain) {
  constexpr int kMany = 3000;
  const auto name = [](int i) { return cat("run-", i); };
  {
    const auto intents = open();
    std::vector<std::thread> threads;
    for (int part = 0; part < 4; ++part) {
      threads.emplace_back([&, part] {
        for (int i = part; i < kMany; i += 4) EXPECT_TRUE(intents->note(name(i)));
      });
    }
    for (std::thread& each : threads) each.join();
    for (int i = 0; i < kMany; i += 2) intents->forget(name(i));
  }
  const auto size = os::read_file(path())->size();
  const auto later = open();
  for (int i = 0; i < kMany; ++i) EXPECT_EQ(later->noted(name(i)), i % 2 == 1) << i;
  for (int i = 0; i < kMany; i += 2) ASSERT_TRUE(later->note(name(i)));
  EXPECT_EQ(os::read_file(path())->size(), size);
}

TEST_F(Intents, AFileOfAnyContentIsReadOrRefusedButNeverTrustedTooFar) {
  for (const std::string& bytes :
       {std::string(5, 'x'), std::string(1000, '\xff'), std::string(300'000, 'a')}) {
    ASSERT_TRUE(os::write_file_atomic(path(), bytes));
    const auto intents = open();
    EXPECT_FALSE(intents->noted("a-1"));
    ASSERT_TRUE(intents->note("a-1"));
    EXPECT_TRUE(open()->noted("a-1"));
  }
  EXPECT_EQ(open()->note(std::string(200, 'a')).error().reason, "ASSIGNMENT_INVALID");
}

}  // namespace
}  // namespace paddock::executor
