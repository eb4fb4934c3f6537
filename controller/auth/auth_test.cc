#include <gtest/gtest.h>

#include "controller/auth/token.h"

namespace paddock::auth {
namespace {

Principal with_scopes(std::vector<std::string> scopes, std::string name_space = {}) {
  return {"someone", std::move(scopes), std::move(name_space), "pdk-1"};
}

TEST(Authorize, LetsEverybodyUseAPublicRoute) {
  EXPECT_TRUE(authorize(anonymous(), Scope::kPublic, "", "").ok());
}

TEST(Authorize, AsksAnUnknownCallerForAToken) {
  for (const Scope scope :
       {Scope::kAuthenticated, Scope::kRunsRead, Scope::kNodeSelf, Scope::kAdmin}) {
    const Status status = authorize(anonymous(), scope, "default", "n1");
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, Code::kUnauthenticated);
    EXPECT_EQ(status.error().reason, "TOKEN_MISSING");
  }
}

TEST(Authorize, NamesTheScopeThatIsMissing) {
  const Status status = authorize(with_scopes({"runs:read"}), Scope::kRunsWrite, "default", "");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kPermissionDenied);
  EXPECT_EQ(status.error().reason, "SCOPE_MISSING");
  EXPECT_NE(status.error().message.find("runs:write"), std::string::npos);
}

TEST(Authorize, KeepsATokenInsideItsNamespace) {
  const Principal principal = with_scopes({"runs:read"}, "team-a");
  EXPECT_TRUE(authorize(principal, Scope::kRunsRead, "team-a", "").ok());
  EXPECT_EQ(authorize(principal, Scope::kRunsRead, "team-b", "").error().reason,
            "NAMESPACE_DENIED");
  EXPECT_EQ(authorize(principal, Scope::kRunsRead, "", "").error().reason, "NAMESPACE_DENIED");
}

TEST(Authorize, GivesANodeItsOwnRoutesAndNobodyElseThose) {
  const Principal node{"node:n1", node_scopes(), {}, "pdkn-1"};
  EXPECT_TRUE(authorize(node, Scope::kNodeSelf, "", "n1").ok());
  EXPECT_EQ(authorize(node, Scope::kNodeSelf, "", "n2").error().reason, "NODE_MISMATCH");
  EXPECT_EQ(authorize(node, Scope::kNodeSelf, "", "").error().reason, "NODE_MISMATCH");
  EXPECT_EQ(authorize(node, Scope::kRunsRead, "default", "").error().reason, "SCOPE_MISSING");
  EXPECT_EQ(authorize(with_scopes({"*"}), Scope::kNodeSelf, "", "n1").error().reason,
            "SCOPE_MISSING");
}

TEST(Authorize, LetsAnEnrolmentTokenEnrolAndNothingElse) {
  const Principal principal{"enroll", enroll_scopes(), {}, "pdke-1"};
  EXPECT_TRUE(authorize(principal, Scope::kNodeEnroll, "", "n1").ok());
  for (const Scope scope : {Scope::kRunsRead, Scope::kRunsWrite, Scope::kWorkspacesRead,
                            Scope::kWorkspacesWrite, Scope::kNodesRead, Scope::kNodesWrite,
                            Scope::kNodeSelf, Scope::kAuditRead, Scope::kAdmin}) {
    EXPECT_FALSE(authorize(principal, scope, "", "n1").ok()) << scope_name(scope);
  }
}

TEST(Authorize, HoldsAnEnrolmentTokenToItsNodeAndItsTime) {
  const Principal good{enroll_subject("n1"), enroll_scopes(), {}, "pdke-1"};
  EXPECT_TRUE(authorize(good, Scope::kNodeEnroll, "", "n1").ok());
  EXPECT_EQ(authorize(good, Scope::kNodeEnroll, "", "n2").error().reason,
            "ENROLL_TOKEN_OTHER_NODE");
  Credential stored{"pdke-1", enroll_subject("n1"), enroll_scopes(), {}, 1000, false};
  EXPECT_EQ(authenticate(stored, WallTime{999})->over, "");
  const auto refusal = [&] {
    const Principal over = authenticate(stored, WallTime{1000}).value();
    EXPECT_EQ(over.token_id, "pdke-1") << "it can be recorded";
    for (const Scope scope : {Scope::kAuthenticated, Scope::kNodeSelf})
      EXPECT_FALSE(authorize(over, scope, "", "n1").ok()) << scope_name(scope);
    EXPECT_TRUE(authorize(over, Scope::kPublic, "", "").ok());
    return authorize(over, Scope::kNodeEnroll, "", "n1").error().reason;
  };
  EXPECT_EQ(refusal(), "ENROLL_TOKEN_EXPIRED");
  stored.revoked = true;
  EXPECT_EQ(refusal(), "ENROLL_TOKEN_SPENT");
  stored.subject = "enroll";
  stored.scopes = enroll_scopes();
  EXPECT_EQ(authenticate(stored, WallTime{999}).error().reason, "TOKEN_REVOKED");
  EXPECT_NE(authenticate(stored, WallTime{999}).error().message.find("`paddock node token NAME`"),
            std::string::npos);
}

TEST(Token, IsKeptAsAHashOnly) {
  SeededRandom random(1);
  const MintedToken token = mint_token(random, "pdk");
  EXPECT_EQ(token.secret.rfind("pdk_", 0), 0u);
  EXPECT_EQ(token.hash, token_hash(token.secret));
  EXPECT_EQ(token.hash.size(), 64u);
  EXPECT_EQ(token.id.find(token.secret.substr(4)), std::string::npos);
  EXPECT_NE(mint_token(random, "pdk").secret, token.secret);
}

TEST(Token, IsTakenFromABearerHeaderAndNoOther) {
  EXPECT_EQ(bearer_secret("").value(), "");
  EXPECT_EQ(bearer_secret("Bearer pdk_abc").value(), "pdk_abc");
  EXPECT_EQ(bearer_secret("bearer pdk_abc ").value(), "pdk_abc");
  for (const char* header :
       {"Basic YTpi", "pdk_abc", "Bearer", "Bearer ", "Bearer a b", "Bearer a\"b"}) {
    ASSERT_FALSE(bearer_secret(header).ok()) << header;
    EXPECT_EQ(bearer_secret(header).error().reason, "AUTHORIZATION_MALFORMED");
  }
  EXPECT_FALSE(bearer_secret("Bearer " + std::string(300, 'a')).ok());
}

TEST(Token, OpensNothingOnceUnknownRevokedOrExpired) {
  Credential credential{"pdk-1", "admin", admin_scopes(), {}, 1000, false};
  EXPECT_EQ(authenticate(credential, WallTime{999}).value().subject, "admin");
  EXPECT_EQ(authenticate(credential, WallTime{1000}).error().reason, "TOKEN_EXPIRED");
  credential.revoked = true;
  EXPECT_EQ(authenticate(credential, WallTime{0}).error().reason, "TOKEN_REVOKED");
  EXPECT_EQ(authenticate(std::nullopt, WallTime{0}).error().reason, "TOKEN_UNKNOWN");
}

}  // namespace
}  // namespace paddock::auth
