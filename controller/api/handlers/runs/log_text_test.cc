#include "controller/api/handlers/runs/log_text.h"

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

const std::vector<contracts::RunEvent> kLog = {{1, 1000, "stdout", "one\ntw"},
                                               {2, 1500, "phase", "{}"},
                                               {3, 2000, "stderr", "o\nthree\n"},
                                               {4, 3000, "stdout", "four"}};

std::string text(const LogOptions& options) { return LogText(options).next(kLog); }

TEST(LogText, IsTheOutputAsItWasWritten) {
  EXPECT_EQ(text({}), "one\ntwo\nthree\nfour");
  LogText counted({});
  (void)counted.next(kLog);
  EXPECT_EQ(counted.lines(), 4);
}

TEST(LogText, LeavesOutTheFirstLinesAndWhatIsTooOld) {
  EXPECT_EQ(text({.skip_lines = 1}), "two\nthree\nfour");
  EXPECT_EQ(text({.skip_lines = 3}), "four");
  EXPECT_EQ(text({.since_ms = 2500}), "four");
  EXPECT_EQ(text({.since_ms = 2500, .skip_lines = 1}), "");
}

TEST(LogText, StampsEachLineOnceHoweverItArrives) {
  EXPECT_EQ(text({.skip_lines = 1, .timestamps = true}),
            "1970-01-01T00:00:01.000Z two\n1970-01-01T00:00:02.000Z three\n"
            "1970-01-01T00:00:03.000Z four");
}

TEST(LogText, EndsAtItsLimit) {
  LogText log({.limit_bytes = 6});
  EXPECT_EQ(log.next(kLog), "one\ntw");
  EXPECT_TRUE(log.full());
  EXPECT_EQ(log.next(kLog), "");
}

}  // namespace
}  // namespace paddock::api
