#include "common/base/log.h"

#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

namespace paddock {
namespace {

// Collects what is logged while it lives.
class LogCapture {
 public:
  LogCapture() {
    EXPECT_EQ(pipe(ends_.data()), 0);
    set_log_fd(ends_[1]);
  }
  ~LogCapture() {
    set_log_fd(STDERR_FILENO);
    set_log_level(LogLevel::kInfo);
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }
  std::string text() {
    close(ends_[1]);
    ends_[1] = -1;
    std::array<char, 4096> buffer{};
    const ssize_t got = read(ends_[0], buffer.data(), buffer.size());
    return {buffer.data(), static_cast<size_t>(got)};
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(Log, WritesOneJsonObjectPerLine) {
  LogCapture capture;
  log_info("node joined", {{"node", "a\"b\n\xFF"}});
  const std::string line = capture.text();
  EXPECT_TRUE(line.starts_with("{\"time\":\"2")) << line;
  EXPECT_TRUE(line.ends_with(
      "\"level\":\"info\",\"message\":\"node joined\",\"node\":\"a\\\"b\\u000a\xEF\xBF\xBD\"}\n"))
      << line;
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  LogCapture capture;
  log(LogLevel::kDebug, "hidden");
  set_log_level(LogLevel::kError);
  log_warn("hidden");
  log_error("shown");
  const std::string line = capture.text();
  EXPECT_EQ(line.find("hidden"), std::string::npos);
  EXPECT_NE(line.find("shown"), std::string::npos);
}

}  // namespace
}  // namespace paddock
