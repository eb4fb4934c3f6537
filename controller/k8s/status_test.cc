#include "controller/k8s/status.h"

#include <gtest/gtest.h>

#include "common/contracts/status.h"

namespace paddock::k8s {
namespace {

// Kubernetes' word for the one cause of this error.
std::string cause_reason(Reason reason, CauseKind kind) {
  wire::Value status = contracts::status_body(
      {Code::kFailedPrecondition, reason, "no", {{"spec.timeout", "wrong", kind}}});
  add_details(status, {});
  return status.at("details.causes")->array()->at(0).text("reason");
}

TEST(StatusDetails, ACauseHasTheWordForTheCodeOfItsError) {
  EXPECT_EQ(cause_reason("APPLY_CONFLICT", CauseKind::kInvalid), "FieldManagerConflict");
  EXPECT_EQ(cause_reason("FIELD_IMMUTABLE", CauseKind::kInvalid), "FieldValueForbidden");
}

TEST(StatusDetails, ACauseHasTheWordForItsKindAndNoneForItsSentence) {
  EXPECT_EQ(cause_reason("INVALID_FIELD", CauseKind::kRequired), "FieldValueRequired");
  EXPECT_EQ(cause_reason("INVALID_FIELD", CauseKind::kWrongType), "FieldValueTypeInvalid");
  EXPECT_EQ(cause_reason("INVALID_FIELD", CauseKind::kNotSupported), "FieldValueNotSupported");
  EXPECT_EQ(cause_reason("GRANT_DENIED", CauseKind::kInvalid), "FieldValueInvalid");
}

}  // namespace
}  // namespace paddock::k8s
