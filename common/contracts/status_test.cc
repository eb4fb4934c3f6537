#include "common/contracts/status.h"

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::contracts {
namespace {

constexpr std::array kCodes = {Code::kInvalidArgument,
                               Code::kUnauthenticated,
                               Code::kPermissionDenied,
                               Code::kNotFound,
                               Code::kAlreadyExists,
                               Code::kConflict,
                               Code::kGone,
                               Code::kTooLarge,
                               Code::kResourceExhausted,
                               Code::kUnavailable,
                               Code::kFailedPrecondition,
                               Code::kDeadlineExceeded,
                               Code::kInternal};

TEST(StatusBody, IsAKubernetesStatusWithOurCodeInside) {
  const Error error = invalid_argument("INVALID_FIELD", "must be at most 1000", "spec.priority");
  EXPECT_EQ(
      wire::to_json(status_body(error)),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"must be at most 1000",)"
      R"("reason":"BadRequest","details":{"causes":[{"field":"spec.priority","message":"must be at most 1000"}]},)"
      R"("code":400,"error":{"code":"INVALID_FIELD","message":"must be at most 1000","retryable":false,)"
      R"("details":{"causes":[{"field":"spec.priority","message":"must be at most 1000"}]}}})");
}

TEST(StatusBody, LeavesOutTheContext) {
  const Error error =
      Error{Code::kInternal, "STORE_IO", "the store failed"}.within("opening /var/lib/secret");
  EXPECT_EQ(wire::to_json(status_body(error)).find("secret"), std::string::npos);
}

TEST(StatusBody, IsReadBackToTheSameErrorForEveryCode) {
  for (const Code code : kCodes) {
    const Error error{code, Reason::parse("SOME_REASON"), "what happened", {{"a.b", "is wrong"}}};
    const Error back = error_from_body(http_status(code), status_body(error));
    EXPECT_EQ(back.code, code) << code_name(code);
    EXPECT_EQ(back.reason, "SOME_REASON");
    EXPECT_EQ(back.message, "what happened");
    EXPECT_EQ(back.causes, error.causes);
  }
}

// What no other try mends is not sent again because of its HTTP status.
TEST(StatusBody, AReasonWithAStatusOfItsOwnKeepsItsCode) {
  for (const auto& [reason, status, code] :
       {std::tuple{Reason("MEDIA_PROVIDER_NOT_CONFIGURED"), 503, Code::kFailedPrecondition},
        std::tuple{Reason("METHOD_UNSUPPORTED"), 501, Code::kInvalidArgument},
        std::tuple{Reason("BODY_TOO_SLOW"), 408, Code::kDeadlineExceeded}}) {
    const Error told{code, reason, "what happened"};
    EXPECT_EQ(error_from_body(status, status_body(told)).code, code) << reason.text();
  }
}

TEST(StatusBody, ForeignBodiesBecomeAGenericError) {
  const Error error = error_from_body(502, wire::Value("<html>"));
  EXPECT_EQ(error.code, Code::kUnavailable);
  EXPECT_EQ(error.reason, "UNEXPECTED_ANSWER");
  EXPECT_EQ(error.message, "the server answered 502");
  EXPECT_EQ(error_from_body(418, wire::Value()).code, Code::kInvalidArgument);
  EXPECT_EQ(error_from_body(404, wire::Value()).code, Code::kNotFound);
  const auto odd =
      wire::parse_json(R"({"error":{"code":7,"details":{"causes":[1,{"field":2}]}},"message":[]})");
  EXPECT_EQ(error_from_body(409, *odd).causes.size(), 2U);
}

}  // namespace
}  // namespace paddock::contracts
