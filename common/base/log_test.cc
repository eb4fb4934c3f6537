#include "common/base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/base/time.h"
#include "tests/support/log_capture.h"

namespace paddock {
namespace {

TEST(Log, WritesOneJsonObjectPerLine) {
  const test::LogCapture capture;
  log_info("node joined", {{"node", "a\"b\n\xFF"}});
  const std::string line = capture.text();
  EXPECT_TRUE(line.starts_with("{\"time\":\"2")) << line;
  EXPECT_TRUE(line.ends_with(
      "\"level\":\"info\",\"message\":\"node joined\",\"node\":\"a\\\"b\\u000a\xEF\xBF\xBD\"}\n"))
      << line;
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  const test::LogCapture capture;
  log(LogLevel::kDebug, "hidden");
  set_log_level(LogLevel::kError);
  log_warn("hidden");
  log_error("shown");
  const std::string line = capture.text();
  EXPECT_EQ(line.find("hidden"), std::string::npos);
  EXPECT_NE(line.find("shown"), std::string::npos);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1))
    out.emplace_back(text.substr(0, end));
  return out;
}

// A container's runtime, a journal or a `tee` that was stopped: what logs goes on.
TEST(Log, AReaderThatStandsStillKeepsNobodyWaiting) {
  const test::LogCapture capture;
  const std::string much(3'000, 'x');
  for (int i = 0; i < 30; ++i) log_info("told", {{"much", much}});
  const std::vector<std::string> kept = lines_of(capture.text());
  ASSERT_LT(kept.size(), 30U) << "the pipe has room for all of them";
  log_info("heard again");
  const std::vector<std::string> after = lines_of(capture.text());
  ASSERT_EQ(after.size(), 2U);
  EXPECT_TRUE(after[0].find(cat("\"lines\":\"", 30 - kept.size(), "\"")) != std::string::npos)
      << after[0];
  EXPECT_NE(after[1].find("heard again"), std::string::npos);
  log_info("as before");
  EXPECT_EQ(lines_of(capture.text()).size(), 1U);
}

// One that reads a line now and then has used up what it is waited for.
// This thread may be given no processor for as long as that would take: then it is tried again.
TEST(Log, AReaderThatLagsIsNotWaitedForOverAndOver) {
  constexpr int kMostTries = 5;
  const std::string much(3'000, 'x');
  const auto fill = [&] {
    for (int i = 0; i < 30; ++i) log_info("told", {{"much", much}});
  };
  for (int i = 0; i < kMostTries; ++i) {
    const test::LogCapture capture;
    fill();
    const MonoTime begun = SystemClock().mono();
    for (int k = 0; k < 20; ++k) {
      std::array<char, 8192> some{};
      ASSERT_GT(capture.read_some(some), 0);
      fill();
    }
    if (SystemClock().mono() - begun < Millis(15'000)) return;
  }
  ADD_FAILURE() << "it was waited for each time";
}

// Half a line would take the next one with it.
TEST(Log, ALineThatIsCutOffSpoilsNoOther) {
  const test::LogCapture capture;
  log_info("long", {{"much", std::string(200'000, 'x')}});
  const std::string half = capture.text();
  EXPECT_FALSE(half.ends_with('\n'));
  log_info("heard again");
  const std::string after = capture.text();
  EXPECT_TRUE(after.starts_with("\n{")) << after;
  EXPECT_EQ(lines_of(after).size(), 3U) << after;
}

TEST(Log, AFullDiskIsTold) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) GTEST_SKIP() << "no such disk here";
  const test::LogCapture capture;
  const int pipe = ::dup(capture.fd());
  ::dup2(full, capture.fd());
  log_info("lost");
  log_info("lost");
  ::dup2(pipe, capture.fd());
  ::close(full);
  ::close(pipe);
  log_info("there is room");
  const std::vector<std::string> lines = lines_of(capture.text());
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].find("\"lines\":\"2\""), std::string::npos) << lines[0];
}

}  // namespace
}  // namespace paddock
