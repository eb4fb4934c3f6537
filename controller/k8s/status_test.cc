#include "controller/k8s/status.h"

#include <gtest/gtest.h>

#include "common/contracts/status.h"

namespace paddock::k8s {
namespace {

// Kubernetes' word for the one cause of this error.
std::string cause_reason(const char* code, const char* message) {
  wire::Value status =
      contracts::status_body({Code::kFailedPrecondition, code, "no", {{"spec.timeout", message}}});
  add_details(status, {});
  return status.at("details.causes")->array()->at(0).text("reason");
}

TEST(StatusDetails, ACauseHasTheWordForTheCodeOfItsError) {
  EXPECT_EQ(cause_reason("APPLY_CONFLICT", "anything"), "FieldManagerConflict");
  EXPECT_EQ(cause_reason("FIELD_IMMUTABLE", "a session's policy is fixed"), "FieldValueForbidden");
}

TEST(StatusDetails, ACauseThatDecodingFoundHasTheWordForItsSentence) {
  EXPECT_EQ(cause_reason("INVALID_FIELD", "required field is missing"), "FieldValueRequired");
  EXPECT_EQ(cause_reason("INVALID_FIELD", "expected integer, got string"), "FieldValueTypeInvalid");
  EXPECT_EQ(cause_reason("INVALID_FIELD", R"("x" is not one of: a, b)"), "FieldValueNotSupported");
}

TEST(StatusDetails, WordsThatACallerSentDecideNothing) {
  EXPECT_EQ(cause_reason("INVALID_FIELD", "\"expected required\" is no name"), "FieldValueInvalid");
  EXPECT_EQ(cause_reason("GRANT_DENIED", "no conflict with anything cannot change that"),
            "FieldValueInvalid");
}

}  // namespace
}  // namespace paddock::k8s
