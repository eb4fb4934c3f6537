#include "controller/api/handlers/runs/log_text.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

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

std::string events_from(int64_t since_ms, int64_t skip_lines) {
  LogStart start(since_ms, skip_lines);
  std::string out;
  for (contracts::RunEvent event : kLog)
    if (start.takes(event)) out += cat(event.id, ":", event.data, ";");
  return out;
}

TEST(LogStart, CutsTheFirstEventAndTakesAllBehindIt) {
  EXPECT_EQ(events_from(0, 1), "1:tw;2:{};3:o\nthree\n;4:four;");
  EXPECT_EQ(events_from(0, 2), "3:three\n;4:four;");
  EXPECT_EQ(events_from(0, 3), "4:four;");
  EXPECT_EQ(events_from(0, 4), "") << "the fourth goes on";
  EXPECT_EQ(events_from(2500, 0), "4:four;");
  contracts::RunEvent end{5, 4000, "end", "{}"};
  EXPECT_TRUE(LogStart(0, 100).takes(end)) << "then nothing more comes";
}

TEST(LogText, EndsAtItsLimit) {
  LogText log({.limit_bytes = 6});
  EXPECT_EQ(log.next(kLog), "one\ntw");
  EXPECT_TRUE(log.full());
  EXPECT_EQ(log.next(kLog), "");
}

}  // namespace
}  // namespace paddock::api
