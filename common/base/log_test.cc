#include "common/base/log.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace paddock
