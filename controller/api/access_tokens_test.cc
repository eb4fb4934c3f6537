// Tokens that operators give to people and programs: what they are good for, and what they are not.
#include <gmock/gmock.h>

#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

using testing::HasSubstr;
using testing::Not;

class AccessTokens : public ApiTest {
 protected:
  static constexpr const char* kTokens = "/admin/tokens";
  static constexpr const char* kTeam = "/apis/paddock.dev/v1alpha1/namespaces/team/runs";

  Answer as(const std::string& token, const std::string& method, const std::string& target,
            const std::string& body = {}) {
    return send(request_of(method, target, token), body);
  }
  Answer make(const std::string& body) { return as(admin_, "POST", kTokens, body); }
  std::string made(const std::string& body) {
    const Answer answer = make(body);
    EXPECT_EQ(answer.status, 201) << answer.text;
    return answer.body.text("token");
  }
  std::string reason_of(const std::string& token, const std::string& method,
                        const std::string& target) {
    return as(token, method, target).reason();
  }
};

TEST_F(AccessTokens, MayWhatTheirScopesSayInTheirNamespaceAndNothingElse) {
  const std::string token =
      made(R"({"subject":"ci","scopes":["runs:read","grants:write"],"namespace":"team"})");
  EXPECT_EQ(as(token, "GET", kTeam).status, 200);
  EXPECT_EQ(reason_of(token, "GET", kRuns), "NAMESPACE_DENIED");
  EXPECT_EQ(reason_of(token, "GET", "/apis/paddock.dev/v1alpha1/runs"), "NAMESPACE_DENIED");
  EXPECT_EQ(reason_of(token, "DELETE", cat(kTeam, "/x")), "SCOPE_MISSING");
  EXPECT_EQ(reason_of(token, "GET", kNodes), "SCOPE_MISSING");
  for (const char* method : {"GET", "POST"})
    EXPECT_EQ(reason_of(token, method, kTokens), "SCOPE_MISSING") << method;
}

TEST_F(AccessTokens, EverythingOfOneNamespaceIsNotTheCluster) {
  const std::string token = made(R"({"subject":"lead","scopes":["*"],"namespace":"team"})");
  EXPECT_EQ(as(token, "GET", kTeam).status, 200);
  for (const char* target : {"/admin/tokens", "/metrics", "/audit", kRuns, kNodes})
    EXPECT_EQ(reason_of(token, "GET", target), "NAMESPACE_DENIED") << target;
  EXPECT_EQ(as(token, "POST", kTokens, R"({"subject":"x","scopes":["*"]})").reason(),
            "NAMESPACE_DENIED");
}

// Whoever finds one that was made for backups does not become the operator by it.
TEST_F(AccessTokens, NobodyGivesWhatHeDoesNotHave) {
  const Answer made_backup = make(R"({"subject":"backup","scopes":["admin","runs:read"]})");
  const std::string backup = made_backup.body.text("token");
  for (const char* scopes : {R"(["*"])", R"(["admin"])", R"(["runs:read","runs:write"])"})
    EXPECT_EQ(as(backup, "POST", kTokens, cat(R"({"subject":"x","scopes":)", scopes, "}")).reason(),
              "SCOPE_NOT_YOURS")
        << scopes;
  EXPECT_EQ(as(backup, "POST", kTokens, R"({"subject":"x","scopes":["runs:read"]})").status, 201);
  const Answer list = as(backup, "GET", kTokens);
  ASSERT_EQ(list.status, 200);
  for (const wire::Value& each : *list.body.find("items")->array()) {
    if (each.text("subject") != "admin") continue;
    EXPECT_EQ(reason_of(backup, "DELETE", cat(kTokens, "/", each.text("id"))), "SCOPE_NOT_YOURS");
  }
  EXPECT_EQ(as(admin_, "GET", kTokens).status, 200);
}

TEST_F(AccessTokens, OfAScraperReadsMetricsAndNothingElse) {
  const std::string token = made(R"({"subject":"prometheus","scopes":["metrics:read"]})");
  EXPECT_EQ(as(token, "GET", "/metrics").status, 200);
  for (const char* target : {"/audit", "/admin/tokens", kRuns, kNodes})
    EXPECT_EQ(reason_of(token, "GET", target), "SCOPE_MISSING") << target;
}

TEST_F(AccessTokens, EndWithTheirTimeOrWhenTheyAreRevoked) {
  const Answer one = make(R"({"subject":"a","scopes":["runs:read"],"ttl":"1h"})");
  const Answer two = make(R"({"subject":"b","scopes":["runs:read"]})");
  const std::string target = cat(kTokens, "/", two.body.text("id"));
  EXPECT_EQ(as(two.body.text("token"), "GET", kRuns).status, 200);
  EXPECT_EQ(as(admin_, "DELETE", target).status, 200);
  EXPECT_EQ(as(admin_, "DELETE", target).status, 200) << "again is the same";
  EXPECT_EQ(reason_of(two.body.text("token"), "GET", kRuns), "TOKEN_REVOKED");
  EXPECT_EQ(as(one.body.text("token"), "GET", kRuns).status, 200);
  clock_.advance(std::chrono::hours(1));
  EXPECT_EQ(reason_of(one.body.text("token"), "GET", kRuns), "TOKEN_EXPIRED");
}

TEST_F(AccessTokens, AreListedWithoutTheirSecretsWhileTheyAreGood) {
  const std::string secret = made(R"({"subject":"a","scopes":["runs:read"],"ttl":"1h"})");
  const Answer list = as(admin_, "GET", kTokens);
  EXPECT_THAT(list.text, HasSubstr(R"("subject":"a")"));
  EXPECT_THAT(list.text, Not(HasSubstr(secret)));
  EXPECT_THAT(list.text, Not(HasSubstr("hash")));
  EXPECT_THAT(list.text, Not(HasSubstr("enroll"))) << "those of hosts are not listed";
  clock_.advance(std::chrono::hours(1));
  EXPECT_THAT(as(admin_, "GET", kTokens).text, Not(HasSubstr(R"("subject":"a")")));
}

TEST_F(AccessTokens, TheirSecretIsInTheAnswerToTheirMakingAndNowhereElse) {
  const Answer answer = make(R"({"subject":"ci","scopes":["runs:read"],"namespace":"team"})");
  const std::string secret = answer.body.text("token");
  EXPECT_THAT(answer.response.headers,
              testing::Contains(testing::Pair("cache-control", "no-store")));
  const Answer log = as(admin_, "GET", "/audit?type=token.create");
  EXPECT_THAT(log.text, HasSubstr(R"("for":"ci")"));
  EXPECT_THAT(log.text, HasSubstr(answer.body.text("id")));
  EXPECT_THAT(log.text, Not(HasSubstr(secret)));
}

// An answer that was lost leaves no second credential behind that nobody knows.
TEST_F(AccessTokens, AreMadeOnceForAnIdempotencyKeyAndShownOnce) {
  const auto keyed = [&](const std::string& body) {
    auto request = request_of("POST", kTokens, admin_);
    request.headers["idempotency-key"] = "one";
    return send(request, body);
  };
  const std::string body = R"({"subject":"ci","scopes":["runs:read"]})";
  const Answer first = keyed(body);
  ASSERT_EQ(first.status, 201) << first.text;
  const Answer again = keyed(body);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body.text("id"), first.body.text("id"));
  EXPECT_EQ(again.body.at("token"), nullptr);
  EXPECT_EQ(keyed(R"({"subject":"ci","scopes":["*"]})").reason(), "IDEMPOTENCY_KEY_REUSED");
  EXPECT_EQ(as(first.body.text("token"), "GET", kRuns).status, 200) << "it is the one that is good";
  EXPECT_EQ(as(admin_, "DELETE", cat(kTokens, "/", first.body.text("id"))).status, 200);
  EXPECT_EQ(keyed(body).status, 200) << "a late repeat makes none after it was revoked";
}

TEST_F(AccessTokens, WhatMakesNoSenseIsRefusedByField) {
  const auto refused = [&](const std::string& body) {
    const Answer answer = make(body);
    EXPECT_GE(answer.status, 400) << body;
    return cat(answer.reason(), " ", answer.text);
  };
  const auto with = [](const char* fields) { return cat(R"({"subject":"a",)", fields, "}"); };
  EXPECT_THAT(refused(with(R"("scopes":["runs:write","root"])")),
              testing::AllOf(HasSubstr("SCOPE_UNKNOWN"), HasSubstr("scopes[1]"),
                             HasSubstr("known: *, runs:read")));
  // What hosts have is not given away.
  for (const char* scope : {"node:self", "nodes:enroll", "public", "authenticated", ""})
    EXPECT_THAT(refused(with(cat(R"("scopes":[")", scope, "\"]").c_str())),
                HasSubstr("SCOPE_UNKNOWN"));
  EXPECT_THAT(refused(with(R"("scopes":["nodes:read"],"namespace":"team")")),
              HasSubstr("SCOPE_OF_CLUSTER"));
  EXPECT_THAT(refused(with(R"("scopes":[])")), HasSubstr("scopes"));
  EXPECT_THAT(refused(R"({"scopes":["*"]})"), HasSubstr("subject"));
  for (const char* subject :
       {"admin", "enroll", "anonymous", "node:n1", "enroll:n1", "a b", "", "a\\u0000", "\u00e4"})
    EXPECT_THAT(refused(cat(R"({"scopes":["*"],"subject":")", subject, "\"}")),
                HasSubstr("INVALID_FIELD"))
        << subject;
  EXPECT_THAT(refused(with(R"("scopes":["*"],"namespace":"A/b")")), HasSubstr("namespace"));
  EXPECT_THAT(refused(with(R"("scopes":["*"],"ttl":"1s")")), HasSubstr("ttl"));
  EXPECT_THAT(refused(with(R"("scopes":["*"],"ttl":"99999h")")), HasSubstr("ttl"));
  EXPECT_EQ(as(admin_, "DELETE", "/admin/tokens/nobody").reason(), "TOKEN_NOT_FOUND");
}

}  // namespace
}  // namespace paddock::api
