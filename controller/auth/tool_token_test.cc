#include "controller/auth/tool_token.h"

#include <gtest/gtest.h>

#include "controller/auth/denial_codes.h"

namespace paddock::auth {
namespace {

using contracts::ToolToken;

ToolToken token() {
  ToolToken out;
  out.metadata.name = "t";
  out.metadata.name_space = "default";
  out.metadata.uid = "token-uid";
  out.spec.run = "r";
  out.spec.operations = {"run:read", "media:generate"};
  out.spec.endpoints = {"run", "media"};
  out.status.run_uid = "run-uid";
  out.status.issued_at = wire::Timestamp{WallTime{0}};
  out.status.expires_at = wire::Timestamp{WallTime{1000}};
  return out;
}
ToolAuthority authority() { return *authenticate_tool(token(), WallTime{0}).value().tool; }
const ToolTarget kOwn{"default", "r", "run-uid"};

// proves: OD-67
TEST(ToolToken, OpensNothingOnceUnknownExpiredOrRevoked) {
  EXPECT_TRUE(authenticate_tool(token(), WallTime{999}).ok());
  EXPECT_EQ(authenticate_tool(std::nullopt, WallTime{0}).error().reason, "TOOL_TOKEN_INVALID");
  EXPECT_EQ(authenticate_tool(token(), WallTime{1000}).error().reason, "TOOL_TOKEN_EXPIRED");
  ToolToken revoked = token();
  revoked.status.revoked_at = wire::Timestamp{WallTime{5}};
  const auto denied = authenticate_tool(revoked, WallTime{6});
  EXPECT_EQ(denied.error().reason, "TOOL_TOKEN_INVALID");
  EXPECT_EQ(denied.error().code, Code::kUnauthenticated);
}

// proves: OD-67
TEST(ToolToken, IsGoodForItsEndpointsItsOperationsAndItsRunOnly) {
  EXPECT_TRUE(authorize_tool(authority(), contracts::kReadRun, kOwn).ok());
  EXPECT_EQ(authorize_tool(authority(), std::nullopt, kOwn).error().reason, "TOOL_ENDPOINT_DENIED");
  const Error endpoint = authorize_tool(authority(), contracts::kReadLog, kOwn).error();
  EXPECT_EQ(endpoint.reason, "TOOL_ENDPOINT_DENIED");
  EXPECT_EQ(endpoint.facts[0].second, "log");
  EXPECT_EQ(endpoint.facts[1].second, "run:read");
  ToolAuthority wide = authority();
  wide.endpoints.emplace_back("cancel");
  EXPECT_EQ(authorize_tool(wide, contracts::kCancelRun, kOwn).error().reason,
            "TOOL_OPERATION_DENIED");
  for (const ToolTarget& other :
       {ToolTarget{"default", "other", "run-uid"}, ToolTarget{"team", "r", "run-uid"},
        ToolTarget{"default", "r", "a later run of that name"}}) {
    const Error denied = authorize_tool(authority(), contracts::kReadRun, other).error();
    EXPECT_EQ(denied.reason, "TOOL_RUN_DENIED") << other.name_space << "/" << other.run;
    EXPECT_EQ(denied.code, Code::kPermissionDenied);
  }
}

TEST(ToolToken, IsGoodForTheProjectOfItsRunOnly) {
  ToolAuthority reader = authority();
  reader.operations = {"project:read"};
  reader.endpoints = {"project"};
  ToolTarget target{"default", "r", "run-uid", "w", "w"};
  EXPECT_TRUE(authorize_tool(reader, contracts::kReadProject, target).ok());
  EXPECT_EQ(authorize_tool(authority(), contracts::kReadProject, target).error().reason,
            "TOOL_ENDPOINT_DENIED");
  for (const char* own : {"other", ""}) {
    target.run_project = own;
    const Error denied = authorize_tool(reader, contracts::kReadProject, target).error();
    EXPECT_EQ(denied.reason, "TOOL_RUN_DENIED");
    EXPECT_EQ(denied.facts.back(), (std::pair<std::string, std::string>{"suppliedProjectId", "w"}));
  }
  target.name_space = "team";
  EXPECT_EQ(authorize_tool(reader, contracts::kReadProject, target).error().reason,
            "TOOL_RUN_DENIED");
}

// Whoever comes by a run's gateway learns nothing of secrets that are none of a tool token.
TEST(ToolToken, IsAllThatItsRunsGatewayTakes) {
  EXPECT_TRUE(check_gateway(contracts::kReadRun, "pdtt_x").ok());
  EXPECT_EQ(check_gateway(std::nullopt, "pdtt_x").error().reason, "TOOL_ENDPOINT_DENIED");
  for (const char* secret : {"", "pdk_x", "xpdtt_", "pdtt"})
    EXPECT_EQ(check_gateway(contracts::kReadRun, secret).error().reason, "TOOL_TOKEN_MISSING");
  const Principal holder = *authenticate_tool(token(), WallTime{0});
  EXPECT_TRUE(check_gateway_run(holder, "run-uid").ok());
  EXPECT_EQ(check_gateway_run(holder, "other-uid").error().reason, "TOOL_RUN_DENIED");
  EXPECT_EQ(check_gateway_run(Principal{}, "").error().reason, "TOOL_RUN_DENIED");
}

// proves: OD-27
TEST(ToolToken, OfARunThatIsGoneFindsNoMediaPolicy) {
  const ToolTarget gone{"default", "r", std::nullopt};
  EXPECT_EQ(authorize_tool(authority(), contracts::kGenerateMedia, gone).error().reason,
            kMediaPolicyUnavailable);
  EXPECT_EQ(authorize_tool(authority(), contracts::kReadRun, gone).error().reason, kToolRunDenied);
}

TEST(ToolToken, MakesNarrowerOnesOnly) {
  ToolToken child = token();
  EXPECT_TRUE(check_narrower(authority(), child).ok());
  child.spec.operations = {"run:read"};
  child.spec.endpoints = {"run"};
  child.status.expires_at = wire::Timestamp{WallTime{500}};
  EXPECT_TRUE(check_narrower(authority(), child).ok());
  child.spec.operations.emplace_back("run:cancel");
  child.spec.endpoints.emplace_back("cancel");
  child.status.expires_at = wire::Timestamp{WallTime{1001}};
  child.status.run_uid = "another";
  const Error wider = check_narrower(authority(), child).error();
  EXPECT_EQ(wider.reason, "TOOL_TOKEN_NOT_NARROWER");
  EXPECT_EQ(wider.causes.size(), 4u);
}

TEST(ToolToken, HasNoScopeForAnyOtherRoute) {
  const Principal holder = authenticate_tool(token(), WallTime{0}).value();
  for (const Scope scope : {Scope::kAuthenticated, Scope::kRunsRead, Scope::kAdmin})
    EXPECT_FALSE(authorize(holder, scope, "default", "").ok()) << scope_name(scope);
}

}  // namespace
}  // namespace paddock::auth
