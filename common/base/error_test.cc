#include "common/base/error.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "common/base/result.h"

namespace paddock {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0)
    return invalid_argument("RANGE_UNSATISFIABLE", "the number is odd", "number");
  return number / 2;
}
Result<int> quarter(int number) {
  ASSIGN_OR_RETURN(const int once, half(number));
  ASSIGN_OR_RETURN(const int twice, half(once));
  return twice;
}
Status even(int number) {
  TRY(half(number));
  return {};
}

TEST(Result, CarriesAValueOrAnErrorThroughTheMacros) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().reason, "RANGE_UNSATISFIABLE");
  EXPECT_TRUE(even(2).ok());
  EXPECT_EQ(even(1).error().causes, (std::vector<Cause>{{"number", "the number is odd"}}));
}

TEST(ResultDeathTest, TakingWhatIsNotThereStopsTheProcess) {
  EXPECT_DEATH((void)half(1).value(), "the number is odd");
  EXPECT_DEATH((void)half(2).error(), "on a value");
}

TEST(Error, KeepsContextForLogsInnermostFirst) {
  const Error error =
      Error{Code::kInternal, "INTERNAL", "it broke", {{"a", "is wrong"}}}.within("opening").within(
          "starting");
  EXPECT_EQ(error.describe(), "it broke; a: is wrong (while opening) (while starting)");
}

TEST(Error, IsDescribedWithoutSayingAnythingTwice) {
  const auto described = [](std::string message, std::vector<Cause> causes) {
    return Error{Code::kInvalidArgument, "INVALID_FIELD", std::move(message), std::move(causes)}
        .describe();
  };
  const Cause port{"port", "is no number"};
  EXPECT_EQ(described("port: is no number", {port}), "port: is no number");
  EXPECT_EQ(described("c.yaml: port: is no number", {port}), "c.yaml: port: is no number");
  EXPECT_EQ(described("c.yaml: port: is no number (and 1 more)", {port, {"a", "is odd"}}),
            "c.yaml: port: is no number; a: is odd");
  EXPECT_EQ(described("port: is no number (and 2 more)", {port, {"a", "is odd"}}),
            "port: is no number (and 2 more); a: is odd")
      << "one is not told";
  EXPECT_EQ(described("port: is odd", {{"t", "is odd"}}), "port: is odd; t: is odd");
  EXPECT_EQ(described("it broke", {{"", "the disk is full"}}), "it broke; the disk is full");
}

TEST(Error, SystemErrorsGetTheCodeOfTheirErrno) {
  EXPECT_EQ(system_error("opening", ENOENT).code, Code::kNotFound);
  EXPECT_EQ(system_error("opening", EACCES).code, Code::kPermissionDenied);
  EXPECT_EQ(system_error("writing", ENOSPC).code, Code::kResourceExhausted);
  EXPECT_EQ(system_error("writing", EIO).code, Code::kUnavailable);
  EXPECT_EQ(system_error("writing", EIO).reason, kDiskFailsReason);
  EXPECT_EQ(system_error("writing", EROFS).reason, kDiskReadOnlyReason);
  EXPECT_TRUE(system_error("writing", EIO).message.starts_with("writing: "));
}

TEST(Error, OnlyConditionsThatPassAreRetryable) {
  for (const Code code :
       {Code::kConflict, Code::kResourceExhausted, Code::kUnavailable, Code::kDeadlineExceeded}) {
    EXPECT_TRUE(retryable(code)) << code_name(code);
  }
  for (const Code code : {Code::kInvalidArgument, Code::kUnauthenticated, Code::kPermissionDenied,
                          Code::kNotFound, Code::kAlreadyExists, Code::kGone, Code::kTooLarge,
                          Code::kFailedPrecondition, Code::kInternal}) {
    EXPECT_FALSE(retryable(code)) << code_name(code);
  }
}

}  // namespace
}  // namespace paddock
