#include "node-agent/artifacts/finished_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contracts/finished_artifacts.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"

namespace paddock::artifacts {
namespace {

using contracts::Artifact;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kRoom = int64_t{1} << 30;

class FinishedTest : public testing::Test {
 protected:
  FinishedTest() {
    std::string pattern = testing::TempDir() + "finished-XXXXXX";
    base_ = ::mkdtemp(pattern.data());
    EXPECT_TRUE(os::make_dirs(base_ + "/out").ok());
    root_ = std::move(*os::open_root(base_));
  }
  ~FinishedTest() override { (void)os::remove_tree(base_); }
  void write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(os::replace_file(cat(base_, "/", name), text).ok());
  }
  std::vector<std::string> look(FinishedFiles& files, int64_t room = kRoom) {
    const auto found = files.look(root_.get(), room, [] { return false; });
    EXPECT_TRUE(found.ok());
    std::vector<std::string> paths;
    for (const Artifact& each : *found) {
      paths.push_back(each.path);
      files.sent(each);
    }
    return paths;
  }
  FinishedFiles files(contracts::Tree before = {}, FinishedLimits limits = {},
                      const std::vector<Artifact>& known = {}) {
    CollectRequest request{{"out"}, {}, {}};
    request.before = std::move(before);
    return {request, limits, known};
  }
  std::string base_;
  os::Fd root_;
};

TEST_F(FinishedTest, AFileIsFinishedIfTwoLooksFindItTheSame) {
  FinishedFiles watched = files();
  write("out/a", "1");
  EXPECT_THAT(look(watched), IsEmpty());
  EXPECT_THAT(look(watched), ElementsAre("out/a"));
  EXPECT_THAT(look(watched), IsEmpty());
  write("out/a", "2");
  EXPECT_THAT(look(watched), IsEmpty());
  EXPECT_THAT(look(watched), ElementsAre("out/a"));
}

TEST_F(FinishedTest, WhatIsWrittenAgainWithTheSameContentIsNoNews) {
  FinishedFiles watched = files();
  write("out/a", "1");
  look(watched);
  look(watched);
  write("out/a", "1");
  look(watched);
  EXPECT_THAT(look(watched), IsEmpty());
}

TEST_F(FinishedTest, WhoeverCanStillWriteKeepsItFromBeingFinished) {
  FinishedFiles watched = files();
  write("out/open", "1");
  write("out/mapped", "1");
  os::Fd open(::open((base_ + "/out/open").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  os::Fd mapped(::open((base_ + "/out/mapped").c_str(), O_RDWR | O_CLOEXEC));
  void* memory = ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, mapped.get(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  mapped.reset();
  look(watched);
  EXPECT_THAT(look(watched), IsEmpty());
  open.reset();
  EXPECT_THAT(look(watched), ElementsAre("out/open"));
  ASSERT_EQ(::munmap(memory, 1), 0);
  EXPECT_THAT(look(watched), ElementsAre("out/mapped"));
}

TEST_F(FinishedTest, WhatTheRunFoundIsNoNews) {
  contracts::Tree before;
  before.entries.push_back({"out/input", crypto::sha256_hex("in"), 2, false});
  FinishedFiles watched = files(before);
  write("out/input", "in");
  write("out/made", "x");
  look(watched);
  EXPECT_THAT(look(watched), ElementsAre("out/made"));
  write("out/input", "IN");
  look(watched);
  EXPECT_THAT(look(watched), ElementsAre("out/input"));
}

TEST_F(FinishedTest, WhatAnEarlierAgentSentIsKnown) {
  const std::vector<Artifact> known = {{"out/a", 1, crypto::sha256_hex("1"), false}};
  FinishedFiles watched = files({}, {}, known);
  write("out/a", "1");
  look(watched);
  EXPECT_THAT(look(watched), IsEmpty());
}

TEST_F(FinishedTest, LinksAndFilesWithSeveralNamesAreNotFollowed) {
  FinishedFiles watched = files();
  write("out/one", "x");
  ASSERT_EQ(::link((base_ + "/out/one").c_str(), (base_ + "/out/two").c_str()), 0);
  ASSERT_EQ(::symlink("/etc/passwd", (base_ + "/out/link").c_str()), 0);
  ASSERT_EQ(::mkfifo((base_ + "/out/pipe").c_str(), 0600), 0);
  look(watched);
  EXPECT_THAT(look(watched), IsEmpty());
}

TEST_F(FinishedTest, ALookHasBounds) {
  FinishedFiles few = files({}, {.entries = 2});
  for (const char* name : {"out/a", "out/b", "out/c"}) write(name, name);
  look(few);
  EXPECT_THAT(look(few), ElementsAre("out/a", "out/b"));
  FinishedFiles brief = files({}, {.entry_names = 10});
  look(brief);
  EXPECT_THAT(look(brief), ElementsAre("out/a", "out/b")) << "each path has five letters";
  FinishedFiles poor = files();
  look(poor, cost_of(0));
  EXPECT_THAT(look(poor, cost_of(0)), ElementsAre("out/a"));
}

TEST_F(FinishedTest, NoMoreFilesThanOneObjectHoldsAreShown) {
  std::vector<Artifact> known;
  for (size_t i = 0; i < contracts::kMaxFinishedArtifacts; ++i)
    known.push_back({cat("out/", i), 1, crypto::sha256_hex("1"), false});
  FinishedFiles watched = files({}, {}, known);
  write("out/0", "changed");
  write("out/new", "x");
  look(watched);
  EXPECT_THAT(look(watched), ElementsAre("out/0"));
}

TEST(FinishedBounds, AllowanceGrowsWithTimeAndLooksTakeASmallShareOfIt) {
  const FinishedLimits limits{.bytes = 100, .bytes_an_hour = 3600};
  EXPECT_EQ(allowance(limits, Millis(0)), 100);
  EXPECT_EQ(allowance(limits, std::chrono::hours(2)), 7300);
  EXPECT_EQ(allowance(limits, Millis(-5000)), 100);  // a clock that was set back
  EXPECT_EQ(cost_of(5), 1 << 20);
  EXPECT_EQ(cost_of(5 << 20), 5 << 20);
  EXPECT_EQ(pause_after(Millis(10), Millis(5000)), Millis(5000));
  EXPECT_EQ(pause_after(Millis(1000), Millis(5000)), Millis(19'000));
}

}  // namespace
}  // namespace paddock::artifacts
