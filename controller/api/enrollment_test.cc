// How a host joins, has its credential replaced, and leaves, through the API. What a thief of a
// token can do with it, and what is told of that.
#include <algorithm>

#include <gmock/gmock.h>

#include "controller/api/api_test_support.h"
#include "controller/nodes/synchronize.h"

namespace paddock::api {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kMine = R"({"identity":"identity-of-this-agent-32-characters"})";
constexpr const char* kThiefs = R"({"identity":"identity-of-another-agent-32-chars!!"})";

class Enrollment : public ApiTest {
 protected:
  Answer as(const std::string& token, const std::string& what, const std::string& body = "{}",
            const std::string& node = "n1") {
    return send(request_of("POST", cat(kNodes, "/", node, "/", what), token), body);
  }
  std::string made_token(const std::string& body = "{}", const std::string& node = "n1") {
    const Answer made = as(admin_, "enroll-token", body, node);
    EXPECT_EQ(made.status, 201) << made.text;
    return made.body.text("token");
  }
  std::string joined() {
    const Answer answer = as(made_token(), "enroll", kMine);
    EXPECT_EQ(answer.status, 201) << answer.text;
    return answer.body.text("credential");
  }
  // 404 of a run that is not there: the credential is good.
  bool is_good(const std::string& credential) {
    return send(request_of("GET", cat(kNodes, "/n1/runs/x/tree"), credential)).status == 404;
  }
  std::string next(const std::string& credential) {
    const Answer answer = as(credential, "credential");
    EXPECT_EQ(answer.status, 201) << answer.text;
    return answer.body.text("credential");
  }
  // `reason` of refusals, type of the others.
  std::vector<std::string> recorded() {
    std::vector<std::string> types;
    const Answer log = call("GET", "/audit");
    for (const wire::Value& event : *log.body.find("items")->array()) {
      const std::string reason = event.text("reason");
      types.push_back(reason.empty() ? event.text("type") : reason);
      EXPECT_THAT(wire::to_json(event), Not(HasSubstr("pdke_")));
      EXPECT_THAT(wire::to_json(event), Not(HasSubstr("pdkn_")));
    }
    return types;
  }
};

TEST_F(Enrollment, ATokenIsGoodForOneNameAndTheHostThatUsesItFirst) {
  const std::string token = made_token();
  const Answer elsewhere = as(token, "enroll", kMine, "n2");
  EXPECT_EQ(elsewhere.status, 403);
  EXPECT_EQ(elsewhere.reason(), "ENROLL_TOKEN_OTHER_NODE");
  EXPECT_THAT(elsewhere.text, HasSubstr("--name n1"));
  const Answer first = as(token, "enroll", kMine);
  ASSERT_EQ(first.status, 201) << first.text;
  EXPECT_TRUE(is_good(first.body.text("credential")));
  const Answer stolen = as(token, "enroll", kThiefs);
  EXPECT_EQ(stolen.status, 403);
  EXPECT_EQ(stolen.reason(), "ENROLL_TOKEN_SPENT");
  EXPECT_THAT(stolen.text, HasSubstr("paddock node token n1"));
  EXPECT_TRUE(is_good(first.body.text("credential"))) << "the thief took nothing";
  // The answer was lost: the same host asks again.
  const Answer again = as(token, "enroll", kMine);
  EXPECT_EQ(again.status, 201) << again.text;
  EXPECT_FALSE(is_good(first.body.text("credential")));
  EXPECT_THAT(recorded(), testing::ElementsAre("node.token", "ENROLL_TOKEN_OTHER_NODE",
                                               "node.enroll", "ENROLL_TOKEN_SPENT", "node.enroll"));
}

TEST_F(Enrollment, ATokensTimeEndsForEverybody) {
  const std::string token = made_token(R"({"ttl":"5m"})");
  clock_.advance(Millis(300'000));
  for (const char* body : {kMine, kThiefs}) {
    const Answer late = as(token, "enroll", body);
    EXPECT_EQ(late.status, 403);
    EXPECT_EQ(late.reason(), "ENROLL_TOKEN_EXPIRED");
    EXPECT_THAT(late.text, HasSubstr("paddock node token n1"));
  }
  EXPECT_THAT(recorded(),
              testing::ElementsAre("node.token", "ENROLL_TOKEN_EXPIRED", "ENROLL_TOKEN_EXPIRED"));
  for (const char* body : {R"({"ttl":"25h"})", R"({"ttl":"1ms"})", R"({"ttl":"-1h"})",
                           R"({"ttl":7})", R"({"life":"1h"})", "null", "[]"}) {
    EXPECT_EQ(as(admin_, "enroll-token", body).status, 400) << body;
  }
  EXPECT_EQ(as(admin_, "enroll-token", "{}", "No_Name").reason(), "NODE_NAME_INVALID");
}

TEST_F(Enrollment, ANewerTokenAndTheNodesRemovalEndATokenThatWasNotUsed) {
  const std::string older = made_token();
  const std::string newer = made_token();
  EXPECT_EQ(as(older, "enroll", kMine).reason(), "ENROLL_TOKEN_SPENT");
  ASSERT_EQ(as(newer, "enroll", kMine).status, 201);
  ASSERT_EQ(call("DELETE", cat(kNodes, "/n1")).status, 200);
  EXPECT_EQ(as(newer, "enroll", kMine).reason(), "ENROLL_TOKEN_SPENT");
  EXPECT_EQ(as(newer, "enroll", kThiefs).reason(), "ENROLL_TOKEN_SPENT");
}

TEST_F(Enrollment, ATokenOpensNothingElse) {
  const std::string token = made_token();
  for (int round = 0; round < 2; ++round) {  // while it is good, and when it is over
    for (const Route& route : routes()) {
      if (route.scope == auth::Scope::kPublic || route.scope == auth::Scope::kNodeEnroll) continue;
      if (route.scope == auth::Scope::kAuthenticated && round == 0) continue;
      const Answer answer =
          send(request_of(route.method, target_of(route.pattern, "x", std::string(64, 'a')), token),
               "{}");
      EXPECT_EQ(answer.status, 403) << route.method << " " << route.pattern << " " << answer.text;
    }
    clock_.advance(std::chrono::hours(2));
  }
}

TEST_F(Enrollment, ATokenDoesNotTakeANameFromItsHost) {
  const std::string credential = joined();
  EXPECT_EQ(as(made_token(), "enroll", kThiefs).reason(), "NODE_NAME_TAKEN");
  EXPECT_TRUE(is_good(credential));
}

TEST_F(Enrollment, AnOlderCredentialIsGoodUntilTheNewOneIsUsedAndAMinuteMore) {
  const std::string older = joined();
  const std::string newer = next(older);
  clock_.advance(std::chrono::hours(24 * 400));
  EXPECT_TRUE(is_good(older)) << "the new one never arrived";
  EXPECT_TRUE(is_good(newer));
  clock_.advance(Millis(59'000));
  EXPECT_TRUE(is_good(older)) << "what is on its way";
  EXPECT_EQ(as(older, "credential").reason(), "CREDENTIAL_REPLACED");
  clock_.advance(Millis(1'000));
  EXPECT_FALSE(is_good(older));
  EXPECT_TRUE(is_good(newer));
  const auto log = recorded();
  EXPECT_EQ(std::ranges::count(log, "node.rotate"), 1);
  EXPECT_EQ(std::ranges::count(log, "node.revoke"), 1) << "told once, however often it is used";
}

TEST_F(Enrollment, ANewCredentialThatWasNotUsedIsReplacedByTheNext) {
  const std::string older = joined();
  const std::string lost = next(older);
  const std::string newer = next(older);
  EXPECT_FALSE(is_good(lost));
  EXPECT_TRUE(is_good(older));
  EXPECT_EQ(call("GET", "/version").status, 200);
  EXPECT_EQ(send(request_of("GET", "/version", newer)).status, 200) << "any call is a use";
  clock_.advance(Millis(60'000));
  EXPECT_FALSE(is_good(older));
  EXPECT_TRUE(is_good(newer));
  const std::string third = next(newer);
  EXPECT_TRUE(is_good(third));
}

TEST_F(Enrollment, CredentialsAreReplacedAndEndedByTheirOwnNodeAlone) {
  const std::string credential = joined();
  for (const char* what : {"credential", "leave"}) {
    EXPECT_EQ(as(credential, what, "{}", "n2").reason(), "NODE_MISMATCH");
    EXPECT_EQ(as(admin_, what).reason(), "SCOPE_MISSING");
    EXPECT_EQ(as("", what).status, 401);
  }
  EXPECT_EQ(as(credential, "enroll-token").reason(), "SCOPE_MISSING");
}

TEST_F(Enrollment, ANodeLeavesOnlyWhenItIsEmptyUnlessForced) {
  const std::string credential = joined();
  contracts::SyncRequest hello;
  hello.process = "process-1";
  hello.status.emplace().capacity.cpu = 4;
  ASSERT_TRUE(nodes::synchronize(*store_, leases_, "n1", hello, nodes::now(clock_)).ok());
  make_workspace();
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  ASSERT_EQ(reconciler_.tick(nodes::now(clock_))->bound, 1);
  const Answer busy = as(credential, "leave");
  EXPECT_EQ(busy.status, 409);
  EXPECT_EQ(busy.reason(), "NODE_HAS_RUNS");
  EXPECT_THAT(busy.text, HasSubstr("paddock drain n1"));
  EXPECT_TRUE(is_good(credential));
  EXPECT_EQ(as(credential, "leave", R"({"force":"yes"})").status, 400);
  EXPECT_EQ(as(credential, "leave", R"({"force":true})").status, 200);
  EXPECT_FALSE(is_good(credential));
  EXPECT_EQ(call("GET", cat(kNodes, "/n1")).status, 404);
  EXPECT_EQ(as(made_token(), "enroll", kThiefs).status, 201) << "the name is free";
  EXPECT_EQ(std::ranges::count(recorded(), "node.leave"), 1);
}

}  // namespace
}  // namespace paddock::api
