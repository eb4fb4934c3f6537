#include "common/contracts/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

using testing::HasSubstr;

TEST(AuditType, IsOneThatEventsHave) {
  for (const std::string_view type : audit::kTypes)
    EXPECT_TRUE(check_audit_type(type).ok()) << type;
}

TEST(AuditType, OfNoEventIsRefusedAndTheNearestIsNamedFirst) {
  for (const char* type : {"", "capability", "capability.denid", "capability.*", "nosuch.type"})
    EXPECT_EQ(check_audit_type(type).error().reason, "PARAMETER_INVALID") << type;
  EXPECT_THAT(check_audit_type("capability.*").error().message,
              HasSubstr("nearest first: capability.denied, "));
  EXPECT_THAT(check_audit_type("token.revok").error().message,
              HasSubstr("nearest first: token.revoke, token.create, "));
}

}  // namespace
}  // namespace paddock::contracts
