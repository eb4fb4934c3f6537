#include "common/os/start_report.h"

#include <stdlib.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::os {
namespace {

class StartReport : public testing::Test {
 protected:
  // As a program that was started with this end of the pipe.
  Fd taken() {
    ::setenv(kStartReportVariable, cat(pipe_.write.get()).c_str(), 1);
    Fd starter = take_start_report();
    if (starter.valid()) (void)pipe_.write.release();
    return starter;
  }
  Pipe pipe_ = make_pipe().value();
};

TEST_F(StartReport, SaysWhyToTheOneThatStartedIt) {
  const Fd starter = taken();
  ASSERT_TRUE(starter.valid());
  EXPECT_EQ(::getenv(kStartReportVariable), nullptr) << "no program that it starts has it";
  EXPECT_FALSE(read_start_failure(pipe_.read));
  report_start_failure(starter, {Code::kResourceExhausted, "SYSTEM_ERROR", "writing\nfailed"});
  const auto said = read_start_failure(pipe_.read);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->code, code_name(Code::kResourceExhausted));
  EXPECT_EQ(said->reason, "SYSTEM_ERROR");
  EXPECT_EQ(said->message, "writing\nfailed");
}

TEST_F(StartReport, IsCutAndNeverWaits) {
  const Fd starter = taken();
  const Error error{Code::kInternal, "SYSTEM_ERROR", std::string(100'000, 'x')};
  for (int i = 0; i < 1000; ++i) report_start_failure(starter, error);
  EXPECT_EQ(read_start_failure(pipe_.read)->reason, "SYSTEM_ERROR");
}

TEST_F(StartReport, NothingButAPipeIsTaken) {
  for (const char* number : {"1", "-1", "99999", "x", ""}) {
    ::setenv(kStartReportVariable, number, 1);
    EXPECT_FALSE(take_start_report().valid()) << number;
  }
  EXPECT_FALSE(take_start_report().valid());
  report_start_failure({}, {Code::kInternal, "SYSTEM_ERROR", "nobody asks"});
  EXPECT_FALSE(read_start_failure({}));
}

}  // namespace
}  // namespace paddock::os
