#include "controller/api/api_test_support.h"
#include "tests/support/http_server.h"

namespace paddock::api {
namespace {

// The real door against a real provider that counts what reaches it.
class Media : public ApiTest {
 protected:
  Media()
      : provider_([this](const test::HttpRequest& request) {
          ++asked_;
          body_ = request.body;
          if (answer_ == 0) return test::HttpAnswer{{}, true, false};  // hangs up
          return test::answer(answer_, R"({"status":"queued"})");
        }) {
    services_.media.provider_url = cat(provider_.url(), "/generate");
    make_workspace();
  }
  void make_run(const std::string& name, const std::string& spec = {}) {
    const Answer made = call("POST", kRuns, run_text(name, spec));
    ASSERT_EQ(made.status, 201) << made.text;
  }
  Answer ask(const std::string& run, const std::string& body = kImage, std::string token = {}) {
    if (token.empty()) token = admin_;
    return send(request_of("POST", cat(kRuns, "/", run, "/media"), token), body);
  }
  std::string tool_token(const std::string& run) {
    return call("POST", cat(kRuns, "/", run, "/tool-tokens"),
                R"({"operations":["media:generate"]})")
        .body.text("status.token");
  }
  static constexpr const char* kImage = R"({"surface":"image","model":"m","prompt":"a cat"})";
  std::atomic<int> asked_ = 0;
  std::atomic<int> answer_ = 200;
  std::string body_;
  test::HttpServer provider_;
};

// proves: OD-28, OD-19
TEST_F(Media, AreAskedOfTheProviderAndAnsweredWithATask) {
  make_run("r");
  const Answer answer = ask("r");
  ASSERT_EQ(answer.status, 202) << answer.text;
  EXPECT_EQ(answer.body.text("status"), "queued");
  EXPECT_FALSE(answer.body.text("taskId").empty());
  EXPECT_FALSE(answer.body.text("startedAt").empty());
  EXPECT_EQ(asked_, 1);
  EXPECT_NE(body_.find(answer.body.text("taskId")), std::string::npos);
  EXPECT_EQ(body_.find("pdk_"), std::string::npos);
}

// proves: OD-19, OD-24, OD-25, OD-26, OD-63
TEST_F(Media, ThatAreDeniedReachNoProvider) {
  make_run("off", R"(,"mediaExecution":{"mode":"disabled"})");
  make_run("audio", R"(,"mediaExecution":{"mode":"enabled","allowedSurfaces":["audio"]})");
  make_run("model", R"(,"mediaExecution":{"mode":"enabled","allowedModels":["x"]})");
  for (const auto& [run, reason] :
       {std::pair{"off", "MEDIA_EXECUTION_DISABLED"}, std::pair{"audio", "MEDIA_SURFACE_DENIED"},
        std::pair{"model", "MEDIA_MODEL_DENIED"}, std::pair{"gone", "MEDIA_POLICY_UNAVAILABLE"}}) {
    const Answer denied = ask(run);
    EXPECT_EQ(denied.status, 403) << run;
    EXPECT_EQ(denied.reason(), reason) << run;
  }
  EXPECT_EQ(ask("off", kImage, tool_token("off")).reason(), "MEDIA_EXECUTION_DISABLED");
  EXPECT_EQ(ask("off", kImage, tool_token("audio")).reason(), "TOOL_RUN_DENIED");
  EXPECT_EQ(ask("off", kImage, "pdtt_unknown").reason(), "TOOL_TOKEN_INVALID");
  EXPECT_EQ(asked_, 0);
}

// proves: OD-28
TEST_F(Media, NeedASurfaceAndAModel) {
  make_run("r");
  for (const auto& [body, message] :
       {std::pair{R"({"surface":"text","model":"m"})", "surface must be image, video, or audio"},
        std::pair{R"({"model":"m"})", "surface must be image, video, or audio"},
        std::pair{R"({"surface":"image"})", "model is required"},
        std::pair{R"({"surface":"image","model":" "})", "model is required"}}) {
    const Answer refused = ask("r", body);
    EXPECT_EQ(refused.status, 400) << body;
    EXPECT_EQ(refused.body.text("error.message"), message);
  }
  EXPECT_EQ(asked_, 0);
}

// proves: OD-22, OD-85, OD-107
TEST_F(Media, TakeNothingButAToolTokenInSandboxMode) {
  make_run("r");
  EXPECT_EQ(ask("r").status, 202) << "outside sandbox mode";
  services_.media.sandbox_mode = true;
  const Answer closed = ask("r");
  EXPECT_EQ(closed.status, 401);
  EXPECT_EQ(closed.reason(), "TOOL_TOKEN_MISSING");
  EXPECT_EQ(closed.body.text("error.message"),
            "tool token is required for media generation in sandbox mode");
  EXPECT_EQ(send(request_of("POST", cat(kRuns, "/r/media"), ""), kImage).reason(),
            "TOOL_TOKEN_MISSING");
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(ask("r", kImage, tool_token("r")).status, 202);
  EXPECT_EQ(asked_, 2);
}

TEST_F(Media, AreInTheAuditLogWithWhoAskedAndWithoutWhatWasWanted) {
  make_run("r");
  const std::string task = ask("r", kImage, tool_token("r")).body.text("taskId");
  answer_ = 500;
  EXPECT_EQ(ask("r").reason(), "MEDIA_PROVIDER_FAILED");
  const Answer told = call("GET", "/audit?type=media.generate");
  const auto& asked = *told.body.find("items")->array();
  ASSERT_EQ(asked.size(), 2u) << told.text;
  EXPECT_EQ(asked[0].text("details.taskId"), task);
  EXPECT_EQ(asked[0].text("details.surface"), "image");
  EXPECT_EQ(asked[0].text("details.model"), "m");
  EXPECT_TRUE(asked[0].text("details.toolToken").starts_with("r-")) << told.text;
  EXPECT_EQ(asked[0].text("object"), "runs/r");
  EXPECT_EQ(asked[1].text("subject"), "admin");
  const Answer failed = call("GET", "/audit?type=media.failed");
  ASSERT_EQ(failed.body.find("items")->array()->size(), 1u) << failed.text;
  EXPECT_EQ(failed.body.find("items")->array()->at(0).text("reason"), "MEDIA_PROVIDER_FAILED");
  EXPECT_EQ(failed.body.find("items")->array()->at(0).text("details.taskId"),
            asked[1].text("details.taskId"));
  EXPECT_EQ(told.text.find("a cat"), std::string::npos);
}

// proves: OD-82, OD-90, OD-91
TEST_F(Media, DenialsLookLikeTheirFixture) {
  make_run("off", R"(,"mediaExecution":{"mode":"disabled"})");
  const Answer denied = ask("off");
  const wire::Value* error = denied.body.find("error");
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->text("code"), "MEDIA_EXECUTION_DISABLED");
  EXPECT_EQ(error->text("message"), "media generation is disabled for this run");
  EXPECT_FALSE(*error->find("retryable")->boolean());
}

TEST_F(Media, WithoutAProviderAreAsOftenRefusedAsTheyAreAskedFor) {
  make_run("r");
  services_.media.provider_url.clear();
  const Answer refused = ask("r");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.reason(), "MEDIA_PROVIDER_NOT_CONFIGURED");
  EXPECT_EQ(refused.body.text("reason"), "ServiceUnavailable");
  EXPECT_FALSE(*refused.body.at("error.retryable")->boolean());
}

// proves: OD-21, OD-84
TEST_F(Media, PolicyOfARunIsWrittenDownWhereverItWasCreated) {
  make_run("plain");
  EXPECT_EQ(call("GET", cat(kRuns, "/plain")).body.text("spec.mediaExecution.mode"), "enabled");
  make_run("off", R"(,"mediaExecution":{"mode":"disabled"})");
  EXPECT_EQ(call("GET", cat(kRuns, "/off")).body.text("spec.mediaExecution.mode"), "disabled");
  for (const char* bad : {R"("on")", "{}", R"({"mode":"question"})"}) {
    EXPECT_EQ(call("POST", kRuns, run_text("bad", cat(R"(,"mediaExecution":)", bad))).status, 400)
        << bad;
  }
}

constexpr const char* kGrants = "/apis/paddock.dev/v1alpha1/namespaces/default/grants";
std::string grant_text(const std::string& name, const std::string& spec) {
  return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Grant","metadata":{"name":")", name,
             R"("},"spec":)", spec, "}");
}

TEST_F(Media, AreCountedOnTheGrantAndNotWhenTheProviderFails) {
  ASSERT_EQ(
      call("POST", kGrants, grant_text("two", R"({"media":{"surfaces":["image"],"count":2}})"))
          .status,
      201);
  make_run("r", R"(,"grants":["two"])");
  answer_ = 500;
  EXPECT_EQ(ask("r").reason(), "MEDIA_PROVIDER_FAILED");
  answer_ = 200;
  EXPECT_EQ(ask("r").status, 202);
  EXPECT_EQ(ask("r").status, 202);
  EXPECT_EQ(ask("r").reason(), "MEDIA_COUNT_EXHAUSTED");
  EXPECT_EQ(ask("r", R"({"surface":"video","model":"m"})").reason(), "MEDIA_SURFACE_DENIED");
  EXPECT_EQ(*call("GET", cat(kGrants, "/two")).body.at("status.mediaUsed")->integer(), 2);
  EXPECT_EQ(asked_, 3);
  EXPECT_EQ(call("DELETE", cat(kGrants, "/two")).status, 200);
  EXPECT_EQ(ask("r").reason(), "MEDIA_POLICY_UNAVAILABLE");
}

// A finalizer keeps the record and nothing of what it gave, neither for those that are parts of it.
TEST_F(Media, EndWithTheDeletionOfAGrantThatIsHeld) {
  const std::string held = R"({"metadata":{"name":"whole","finalizers":["a.example/x"]},)";
  const std::string rest = R"("apiVersion":"paddock.dev/v1alpha1","kind":"Grant",)";
  ASSERT_EQ(
      call("POST", kGrants, cat(held, rest, R"("spec":{"media":{"surfaces":["image"]}}})")).status,
      201);
  ASSERT_EQ(call("POST", kGrants,
                 grant_text("part", R"({"parent":"whole","media":{"surfaces":["image"]}})"))
                .status,
            201);
  make_run("r", R"(,"grants":["whole"])");
  make_run("s", R"(,"grants":["part"])");
  EXPECT_EQ(ask("r").status, 202);
  EXPECT_EQ(ask("s").status, 202);
  ASSERT_EQ(call("DELETE", cat(kGrants, "/whole")).status, 200);
  EXPECT_FALSE(call("GET", cat(kGrants, "/whole")).body.text("metadata.deletionTimestamp").empty());
  for (const char* run : {"r", "s"}) EXPECT_EQ(ask(run).reason(), "MEDIA_POLICY_UNAVAILABLE");
  EXPECT_EQ(asked_, 2);
  for (const char* grant : {"whole", "part"}) {
    EXPECT_EQ(call("POST", kRuns, run_text("t", cat(R"(,"grants":[")", grant, R"("])"))).reason(),
              "GRANT_NOT_FOUND");
    EXPECT_EQ(
        call("POST", cat(kGrants, "/", grant, "/explain"), R"({"surface":"image","model":"m"})")
            .reason(),
        "GRANT_NOT_FOUND");
  }
}

TEST_F(Media, AndComputeAreHeldToTheGrantsOfTheCaller) {
  ASSERT_EQ(call("POST", kGrants,
                 grant_text("mine", R"({"subjects":["ci"],"compute":{"cpu":2,"timeout":"1h"}})"))
                .status,
            201);
  ASSERT_EQ(call("POST", kGrants, grant_text("wide", R"({"compute":{"cpu":64}})")).status, 201);
  const std::string ci = add_token("ci", {"runs:read", "runs:write"});
  const auto make = [&](const std::string& name, const std::string& spec) {
    return send(request_of("POST", kRuns, ci), run_text(name, spec));
  };
  const Answer made = make("a", R"(,"resources":{"cpu":2})");
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.body.text("status.createdBy"), "ci");
  EXPECT_EQ(made.body.at("status.grants")->array()->size(), 1u);
  const Answer denied = make("b", R"(,"resources":{"cpu":3})");
  EXPECT_EQ(denied.status, 403);
  EXPECT_EQ(denied.reason(), "GRANT_DENIED");
  EXPECT_EQ(make("c", R"(,"resources":{"accelerators":{"kind":"nvidia","count":1}})").reason(),
            "GRANT_DENIED");
  EXPECT_EQ(make("d", R"(,"timeout":"2h")").reason(), "GRANT_DENIED");
  EXPECT_EQ(make("e", R"(,"grants":["wide"])").reason(), "GRANT_NOT_YOURS");
  const Answer none = make("f", R"(,"grants":["none","neither"])");
  EXPECT_EQ(none.reason(), "GRANT_NOT_FOUND");
  EXPECT_NE(none.text.find("there is no grant neither"), std::string::npos);
  EXPECT_EQ(ask("a").reason(), "MEDIA_EXECUTION_DISABLED") << "the grant gives no media";
  EXPECT_EQ(asked_, 0);
}

TEST_F(Media, ThatTheProviderMayHaveBegunCount) {
  ASSERT_EQ(
      call("POST", kGrants, grant_text("two", R"({"media":{"surfaces":["image"],"count":2}})"))
          .status,
      201);
  make_run("r", R"(,"grants":["two"])");
  answer_ = 0;
  EXPECT_EQ(ask("r").reason(), "MEDIA_PROVIDER_SILENT");
  services_.media.provider_url = "http://127.0.0.1:1/generate";
  EXPECT_EQ(ask("r").reason(), "MEDIA_PROVIDER_FAILED") << "nobody listens: it has nothing";
  services_.media.provider_url = cat(provider_.url(), "/generate");
  answer_ = 200;
  EXPECT_EQ(ask("r").status, 202);
  EXPECT_EQ(ask("r").reason(), "MEDIA_COUNT_EXHAUSTED");
}

// What the sandbox would let the run use counts, not only what it is placed for.
TEST_F(Media, AGrantsMemoryIsMoreThanTheSandboxAllowsOrTheRunIsDenied) {
  ASSERT_EQ(call("POST", kGrants,
                 grant_text("small", R"({"subjects":["ci"],"compute":{"memory":"64Mi"}})"))
                .status,
            201);
  const std::string ci = add_token("ci", {"runs:read", "runs:write"});
  const auto make = [&](const std::string& name, const std::string& spec) {
    return send(request_of("POST", kRuns, ci), run_text(name, spec));
  };
  EXPECT_EQ(make("a", "").reason(), "GRANT_DENIED");
  EXPECT_EQ(make("b", R"(,"resources":{"memory":"64Mi"})").reason(), "GRANT_DENIED");
  EXPECT_EQ(make("c", R"(,"sandbox":{"limits":{"memory":"1Gi"}})").reason(), "GRANT_DENIED");
  EXPECT_EQ(make("d", R"(,"sandbox":{"limits":{"memory":"64Mi"}})").status, 201);
}

// Whoever holds a part must be able to let it go, whatever became of the whole meanwhile.
TEST_F(Media, APartOfAGrantThatIsGoneCanBeLetGo) {
  const std::string part = R"({"parent":"whole","media":{"count":2}})";
  ASSERT_EQ(call("POST", kGrants, grant_text("whole", R"({"media":{"count":2}})")).status, 201);
  ASSERT_EQ(call("POST", kGrants, grant_text("part", part)).status, 201);
  const auto patch = [&](const std::string& name, const std::string& body) {
    Request request = request_of("PATCH", cat(kGrants, "/", name), admin_);
    request.headers["content-type"] = "application/merge-patch+json";
    return send(request, body);
  };
  const std::string hold = R"({"metadata":{"finalizers":["a.example/x"]}})";
  for (const char* name : {"whole", "part"}) ASSERT_EQ(patch(name, hold).status, 200);
  ASSERT_EQ(patch("whole", R"({"spec":{"media":{"count":1}}})").status, 200);
  EXPECT_EQ(patch("part", R"({"metadata":{"labels":{"a":"b"}}})").status, 200) << "gives no more";
  EXPECT_EQ(patch("part", R"({"spec":{"subjects":["x"]}})").reason(), "GRANT_NOT_NARROWER");
  ASSERT_EQ(call("DELETE", kGrants).status, 200);
  const Answer gone = patch("part", R"({"spec":{"subjects":["x"]}})");
  EXPECT_EQ(gone.reason(), "GRANT_NOT_FOUND");
  EXPECT_NE(gone.text.find("spec.parent"), std::string::npos) << gone.text;
  const Answer freed = patch("part", R"({"metadata":{"finalizers":[]}})");
  EXPECT_EQ(freed.status, 200) << freed.text;
  EXPECT_EQ(call("GET", cat(kGrants, "/part")).status, 404);
}

TEST_F(Media, GrantsHaveNarrowerPartsAndExplainThemselves) {
  ASSERT_EQ(
      call("POST", kGrants, grant_text("whole", R"({"media":{"surfaces":["image"]}})")).status,
      201);
  EXPECT_EQ(call("POST", kGrants,
                 grant_text("wider", R"({"parent":"whole","media":{"surfaces":["video"]}})"))
                .reason(),
            "GRANT_NOT_NARROWER");
  ASSERT_EQ(
      call("POST", kGrants,
           grant_text("part", R"({"parent":"whole","media":{"surfaces":["image"],"count":1}})"))
          .status,
      201);
  const Answer yes =
      call("POST", cat(kGrants, "/part/explain"), R"({"surface":"image","model":"m"})");
  EXPECT_TRUE(*yes.body.find("allowed")->boolean()) << yes.text;
  EXPECT_EQ(yes.body.find("checks")->array()->size(), 5u);
  const Answer no = call("POST", cat(kGrants, "/part/explain"),
                         R"({"resources":{"accelerators":{"kind":"nvidia","count":1}}})");
  EXPECT_FALSE(*no.body.find("allowed")->boolean());
  EXPECT_EQ(no.body.text("reason"), "GRANT_DENIED");
  EXPECT_EQ(call("POST", cat(kGrants, "/part/explain"), "{}").reason(), "QUESTION_EMPTY");
  EXPECT_EQ(call("POST", cat(kGrants, "/gone/explain"), R"({"surface":"image"})").status, 404);
  const std::string reader = add_token("reader", {"grants:read"});
  EXPECT_EQ(send(request_of("POST", kGrants, reader), grant_text("x", "{}")).reason(),
            "SCOPE_MISSING");
}

}  // namespace
}  // namespace paddock::api
