#include "node-agent/executor/launch_intents.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/os/file.h"
#include "node-agent/executor/outcome.h"
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

std::atomic<int> failing{0};  // errno of the disk below; 0: it is well

// A disk that drops what was written since its last success, as a kernel may once it has failed.
std::string kept;
int sync_or_drop(int fd) {
  const std::string path = cat("/proc/self/fd/", fd);
  if (failing == 0) {
    kept = os::read_file(path).value();
    return 0;
  }
  for (size_t at = 0; at < kept.size();) {
    const ssize_t put = ::pwrite(fd, kept.data() + at, kept.size() - at, static_cast<off_t>(at));
    if (put <= 0) break;
    at += static_cast<size_t>(put);
  }
  errno = failing;
  return -1;
}

TEST_F(Intents, AreNotedAgainOnceTheDiskKeepsThemAndNoneOfThoseThatItDroppedIsLost) {
  failing = 0;
  auto made = LaunchIntents::open(path(), sync_or_drop);
  ASSERT_TRUE(made.ok());
  LaunchIntents& intents = **made;
  ASSERT_TRUE(intents.note("before-1"));
  failing = EIO;
  for (const char* run : {"dropped-1", "dropped-2"}) {
    const Error why = intents.note(run).error();
    EXPECT_EQ(why.reason, "LAUNCHES_UNWRITABLE");
    EXPECT_TRUE(outcome_of_error(why, false).refused.value_or(false)) << "placed elsewhere";
  }
  failing = ENOSPC;
  EXPECT_EQ(contracts::name_full_disk(intents.note("dropped-3").error()).reason, "NODE_DISK_FULL");
  EXPECT_FALSE(open()->noted("dropped-1"));
  failing = 0;
  ASSERT_TRUE(intents.note("after-1"));
  const auto later = open();
  for (const char* run : {"before-1", "dropped-1", "after-1"})
    EXPECT_TRUE(later->noted(run)) << run;
  EXPECT_FALSE(later->noted("dropped-2")) << "it was refused before it was written";
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
