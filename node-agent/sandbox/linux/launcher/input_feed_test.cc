#include "node-agent/sandbox/linux/launcher/input_feed.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::sandbox {
namespace {

constexpr MonoTime kFeedStart{5'000};

class FileFeed : public testing::Test {
 protected:
  void write(std::string_view text) {
    const os::Fd file(::open(path().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
    ASSERT_TRUE(os::write_all(file.get(), text).ok());
  }
  void start() {
    feed_.emplace(InputFeed::open(path(), now_).value());
    command_ = feed_->take_command_end();
    ASSERT_EQ(fcntl(command_.get(), F_SETFL, O_NONBLOCK), 0);
  }
  // One round of the supervisor's loop, without its wait.
  bool round() {
    auto fds = feed_->waits_for();
    const bool any = poll(fds.data(), fds.size(), 0) > 0;
    feed_->handle(fds, now_);
    return any;
  }
  // All that the command gets now.
  std::string taken() {
    std::string all;
    char part[8192];
    for (int idle = 0; idle < 2;) {
      const ssize_t count = read(command_.get(), part, sizeof part);
      if (count > 0) all.append(part, static_cast<size_t>(count));
      idle = round() || count > 0 ? 0 : idle + 1;
    }
    return all;
  }
  std::string path() const { return folder_ / "input"; }
  bool marked() const { return os::exists(path() + ".closed"); }

  MonoTime now_ = kFeedStart;
  std::optional<InputFeed> feed_;
  os::Fd command_;
  test::TempDir folder_;
};

TEST_F(FileFeed, GivesWhatWasThereAndWhatComesInWholeLines) {
  write("one\ntwo\nhal");
  start();
  EXPECT_EQ(taken(), "one\ntwo\n");
  write("f\n");
  EXPECT_EQ(taken(), "half\n");
  EXPECT_EQ(taken(), "");
}

TEST_F(FileFeed, ReadsAgainWhatWasCutOffAndWrittenAnew) {
  write("one\nha");
  start();
  EXPECT_EQ(taken(), "one\n");
  ASSERT_EQ(truncate(path().c_str(), 4), 0);
  write("another\n");
  EXPECT_EQ(taken(), "another\n");
}

TEST_F(FileFeed, WaitsForACommandThatReadsSlowly) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i) + "\n";
  write(text);
  start();
  for (int i = 0; i < 100; ++i) round();  // nobody reads: it does not block
  write("end\n");
  EXPECT_EQ(taken(), text + "end\n");
}

TEST_F(FileFeed, PassesALineOnThatIsLongerThanAPipe) {
  const std::string line(1 << 20, 'x');
  write(line);
  start();
  EXPECT_EQ(taken(), "");
  write("\nmore\n");
  EXPECT_EQ(taken(), line + "\nmore\n");
}

TEST_F(FileFeed, GivesUpOnALineWithoutEnd) {
  write(std::string(9 << 20, 'x'));
  start();
  EXPECT_EQ(taken(), "");
  now_ = feed_->look_at().value();
  round();
  EXPECT_TRUE(marked());
  char byte = 0;
  EXPECT_EQ(read(command_.get(), &byte, 1), 0);  // the command sees the end
}

TEST_F(FileFeed, MarksAnInputThatNobodyReadsAnyMore) {
  write("one\n");
  start();
  EXPECT_EQ(taken(), "one\n");
  command_.reset();
  round();
  EXPECT_FALSE(marked());  // the command may be about to end
  now_ = feed_->look_at().value();
  round();
  EXPECT_TRUE(marked());
  EXPECT_FALSE(feed_->look_at());
}

TEST_F(FileFeed, NeedsItsFile) { EXPECT_FALSE(InputFeed::open(path(), now_).ok()); }

}  // namespace
}  // namespace paddock::sandbox
