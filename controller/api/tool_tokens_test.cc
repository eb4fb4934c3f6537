#include "controller/api/handlers/access/tool_tokens.h"

#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

constexpr const char* kTokens = "/apis/paddock.dev/v1alpha1/namespaces/default/tooltokens";

class ToolTokens : public ApiTest {
 protected:
  ToolTokens() {
    make_workspace();
    call("POST", kRuns, run_text("r"));
    call("POST", kRuns, run_text("other"));
  }
  // The answer that makes one.
  Answer make(const std::string& request, const std::string& run = "r") {
    return call("POST", cat(kRuns, "/", run, "/tool-tokens"), request);
  }
  std::string secret(const std::string& request) {
    const Answer made = make(request);
    EXPECT_EQ(made.status, 201) << made.text;
    return made.body.text("status.token");
  }
  Answer with(const std::string& token, const std::string& method, const std::string& target,
              const std::string& bytes = {}) {
    return send(request_of(method, target, token), bytes);
  }
  std::string run(const std::string& rest = {}) { return cat(kRuns, "/r", rest); }
};

constexpr const char* kReader = R"({"operations":["run:read"]})";

// proves: OD-67
TEST_F(ToolTokens, ShowTheirSecretOnceAndAreStoredAsAHash) {
  const Answer made = make(kReader);
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string token = made.body.text("status.token");
  EXPECT_EQ(token.rfind("pdtt_", 0), 0u);
  EXPECT_EQ(token.size(), 5u + 43u);
  const std::string name = made.body.text("metadata.name");
  for (const std::string& target : {std::string(kTokens), cat(kTokens, "/", name)}) {
    const Answer seen = call("GET", target);
    EXPECT_EQ(seen.status, 200);
    EXPECT_EQ(seen.text.find(token), std::string::npos);
    EXPECT_EQ(seen.text.find(auth::token_hash(token)), std::string::npos);
  }
  EXPECT_EQ(call("GET", cat(kTokens, "/", name)).body.text("status.phase"), "Active");
}

TEST_F(ToolTokens, AreMadeOnceForAnIdempotencyKeyAndShownOnce) {
  const auto keyed = [&](const std::string& name) {
    auto request = request_of("POST", cat(kRuns, "/", name, "/tool-tokens"), admin_);
    request.headers["idempotency-key"] = "one";
    return send(request, kReader);
  };
  const Answer first = keyed("r");
  ASSERT_EQ(first.status, 201) << first.text;
  const Answer again = keyed("r");
  EXPECT_EQ(again.status, 200) << again.text;
  EXPECT_EQ(again.body.text("metadata.name"), first.body.text("metadata.name"));
  EXPECT_EQ(again.body.text("status.phase"), "Active");
  EXPECT_EQ(again.body.at("status.token"), nullptr);
  EXPECT_EQ(keyed("other").reason(), "IDEMPOTENCY_KEY_REUSED") << "the run is part of the request";
  call("DELETE", cat(kTokens, "/", first.body.text("metadata.name")));
  EXPECT_EQ(keyed("r").status, 201) << "with the token, its key is forgotten";
}

TEST_F(ToolTokens, AreAKindLikeTheOthers) {
  const Answer made =
      call("POST", kTokens,
           R"({"apiVersion":"paddock.dev/v1alpha1","kind":"ToolToken",)"
           R"("metadata":{"name":"t"},"spec":{"run":"r","operations":["run:read"]}})");
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(with(made.body.text("status.token"), "GET", run()).status, 200);
  const Answer again = call("GET", cat(kTokens, "/t"));
  EXPECT_EQ(again.body.at("status.token"), nullptr);
  EXPECT_EQ(again.body.at("spec.endpoints")->array()->size(), 3u);
  EXPECT_EQ(
      call("GET", cat(kTokens, "?fieldSelector=spec.run=r")).body.find("items")->array()->size(),
      1u);
  EXPECT_EQ(call("DELETE", cat(kTokens, "/t")).status, 200);
  EXPECT_EQ(with(made.body.text("status.token"), "GET", run()).reason(), "TOOL_TOKEN_INVALID");
}

// proves: OD-67
TEST_F(ToolTokens, OpenTheRoutesOfTheirRunAndNothingElse) {
  const std::string token = secret(kReader);
  EXPECT_EQ(with(token, "GET", run()).status, 200);
  for (const auto& [method, target, reason] :
       {std::tuple{"GET", std::string(kRuns), "TOOL_ENDPOINT_DENIED"},
        std::tuple{"GET", std::string("/version"), "TOOL_ENDPOINT_DENIED"},
        std::tuple{"GET", std::string(kTokens), "TOOL_ENDPOINT_DENIED"},
        std::tuple{"DELETE", run(), "TOOL_ENDPOINT_DENIED"},
        std::tuple{"POST", run("/cancel"), "TOOL_ENDPOINT_DENIED"},
        std::tuple{"GET", cat(kRuns, "/other"), "TOOL_RUN_DENIED"}}) {
    const Answer denied = with(token, method, target, "{}");
    EXPECT_EQ(denied.status, 403) << method << " " << target;
    EXPECT_EQ(denied.reason(), reason) << method << " " << target;
  }
  const Answer denied = with(token, "POST", run("/cancel"));
  EXPECT_EQ(denied.body.text("error.details.endpoint"), "cancel");
  EXPECT_EQ(denied.body.text("error.details.operation"), "run:cancel");
  EXPECT_EQ(with("pdtt_unknown", "GET", run()).status, 401);
  EXPECT_EQ(with("pdtt_unknown", "GET", run()).reason(), "TOOL_TOKEN_INVALID");
}

// proves: OD-67
TEST_F(ToolTokens, EndByTheirTimeByHandAndWithTheirRun) {
  const std::string brief = secret(R"({"operations":["run:read"],"ttl":"1s"})");
  const std::string child = secret(kReader);
  const Answer made = make(kReader);
  const std::string manual = made.body.text("status.token");
  clock_.advance(Millis(1000));
  EXPECT_EQ(with(brief, "GET", run()).reason(), "TOOL_TOKEN_EXPIRED");
  const Answer revoked =
      call("POST", cat(kTokens, "/", made.body.text("metadata.name"), "/revoke"));
  EXPECT_EQ(revoked.body.text("status.reason"), "manual") << revoked.text;
  EXPECT_EQ(with(manual, "GET", run()).reason(), "TOOL_TOKEN_INVALID");
  EXPECT_EQ(with(child, "GET", run()).status, 200);
  end_run("r");
  const Answer over = with(child, "GET", run());
  EXPECT_EQ(over.status, 401);
  EXPECT_EQ(over.reason(), "TOOL_TOKEN_INVALID");
  EXPECT_NE(over.text.find("child_exit"), std::string::npos);
  EXPECT_EQ(make(kReader).reason(), "RUN_FINISHED");
}

// proves: OD-67
TEST_F(ToolTokens, EndWithAStreamOfTheRunWhereAskedTo) {
  const std::string bound = secret(R"({"operations":["run:read"],"revokeOnStreamEnd":true})");
  const std::string free = secret(kReader);
  const Answer events = with(bound, "GET", run("/events"));
  ASSERT_EQ(events.status, 200) << events.text;
  FakeStream stream(": ok");
  events.response.stream(stream);
  EXPECT_EQ(with(bound, "GET", run()).reason(), "TOOL_TOKEN_INVALID");
  EXPECT_EQ(with(free, "GET", run()).status, 200);
}

TEST_F(ToolTokens, MakeNarrowerOnesThatEndWithThem) {
  const Answer made = make(R"({"operations":["run:read","tool-tokens:create"],"ttl":"10m"})");
  const std::string parent = made.body.text("status.token");
  const Answer part = with(parent, "POST", run("/tool-tokens"), kReader);
  ASSERT_EQ(part.status, 201) << part.text;
  for (const char* wider :
       {R"({"operations":["run:cancel"]})", R"({"operations":["run:read"],"ttl":"11m"})"})
    EXPECT_EQ(with(parent, "POST", run("/tool-tokens"), wider).reason(), "TOOL_TOKEN_NOT_NARROWER")
        << wider;
  EXPECT_EQ(with(parent, "POST", cat(kRuns, "/other/tool-tokens"), kReader).reason(),
            "TOOL_RUN_DENIED");
  call("POST", cat(kTokens, "/", made.body.text("metadata.name"), "/revoke"));
  EXPECT_EQ(with(part.body.text("status.token"), "GET", run()).reason(), "TOOL_TOKEN_INVALID");
}

// What a program can make by itself costs the controller a bounded time to end.
TEST_F(ToolTokens, AreLimitedInNumberAndInHowFarTheyComeOfEachOther) {
  constexpr const char* kMaker = R"({"operations":["tool-tokens:create"]})";
  const Answer first = make(kMaker);
  std::string token = first.body.text("status.token");
  for (size_t depth = 0; depth < kToolTokenDepth; ++depth) {
    const Answer next = with(token, "POST", run("/tool-tokens"), kMaker);
    ASSERT_EQ(next.status, 201) << depth << next.text;
    token = next.body.text("status.token");
  }
  EXPECT_EQ(with(token, "POST", run("/tool-tokens"), kMaker).reason(), "TOO_MANY_TOOL_TOKENS");
  for (size_t i = kToolTokenDepth + 1; i < kMostToolTokens; ++i)
    ASSERT_EQ(make(kMaker).status, 201) << i;
  EXPECT_EQ(make(kMaker).status, 429);
  EXPECT_EQ(make(kMaker, "other").status, 201);
  call("POST", cat(kTokens, "/", first.body.text("metadata.name"), "/revoke"));
  EXPECT_EQ(with(token, "POST", run("/tool-tokens"), kMaker).reason(), "TOOL_TOKEN_INVALID");
  EXPECT_EQ(make(kMaker).status, 201) << "those that ended make room";
}

TEST_F(ToolTokens, GiveNothingThatTheirMakerMayNotDo) {
  const std::string writer = add_token("writer", {"runs:write"});
  EXPECT_EQ(with(writer, "POST", run("/tool-tokens"), R"({"operations":["run:cancel"]})").status,
            201);
  EXPECT_EQ(with(writer, "POST", run("/tool-tokens"), kReader).reason(), "SCOPE_MISSING");
  EXPECT_EQ(with(writer, "POST", kTokens,
                 R"({"apiVersion":"paddock.dev/v1alpha1","kind":"ToolToken",)"
                 R"("metadata":{"name":"t"},"spec":{"run":"r","operations":["run:read"]}})")
                .reason(),
            "SCOPE_MISSING");
}

TEST_F(ToolTokens, AreRefusedWhenTheirRequestMakesNoSense) {
  for (const char* request :
       {"{}", R"({"operations":[]})", R"({"operations":["run:write"]})",
        R"({"operations":["run:read"],"endpoints":["media"]})",
        R"({"operations":["run:read"],"ttl":"25h"})", R"({"operations":["run:read"],"ttl":"0s"})",
        R"({"operations":["run:read"],"token":"pdtt_mine"})"})
    EXPECT_EQ(make(request).status, 400) << request;
  EXPECT_EQ(make(kReader, "none").reason(), "RUN_NOT_FOUND");
}

// proves: OD-27
TEST_F(ToolTokens, OfARunAreNotThoseOfALaterRunOfItsName) {
  const std::string token = secret(R"({"operations":["run:read","media:generate"]})");
  end_run("r");
  ASSERT_EQ(call("DELETE", run()).status, 200);
  for (int i = 0; i < 2; ++i) {
    const Answer media = with(token, "POST", run("/media"), R"({"surface":"image","model":"m"})");
    EXPECT_EQ(media.status, 403);
    EXPECT_EQ(media.reason(), "MEDIA_POLICY_UNAVAILABLE");
    EXPECT_EQ(with(token, "GET", run()).reason(), "TOOL_RUN_DENIED");
    if (i == 0) call("POST", kRuns, run_text("r"));
  }
}

}  // namespace
}  // namespace paddock::api
