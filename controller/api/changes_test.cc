#include "controller/api/objects/changes.h"

#include "controller/api/changes_test_support.h"
#include "controller/store/full_store_test_support.h"

namespace paddock::api {
namespace {

TEST_F(Changes, PatchLabelsAndAnnotationsInBothForms) {
  const std::string before = version();
  const Answer merged = patch_run(kMerge, R"({"metadata":{"labels":{"a":"1","b":"2"}}})");
  EXPECT_EQ(merged.status, 200) << merged.text;
  EXPECT_NE(merged.body.text("metadata.resourceVersion"), before);
  const Answer json = patch_run(kJson, R"([{"op":"test","path":"/metadata/labels/a","value":"1"},
      {"op":"remove","path":"/metadata/labels/a"},
      {"op":"add","path":"/metadata/annotations","value":{"x/y":"n"}},
      {"op":"test","path":"/metadata/annotations/x~1y","value":"n"}])");
  EXPECT_EQ(json.status, 200) << json.text;
  EXPECT_EQ(json.body.at("metadata.labels")->object()->size(), 1u);
  EXPECT_EQ(patch_run(kMerge, R"({"metadata":{"labels":null}})").body.at("metadata.labels"),
            nullptr);
}

TEST_F(Changes, ThatChangeNothingKeepTheVersion) {
  patch_run(kMerge, R"({"metadata":{"labels":{"a":"1"}}})", "?fieldManager=m");
  const std::string before = version();
  EXPECT_EQ(patch_run(kMerge, R"({"metadata":{"labels":{"a":"1"}}})", "?fieldManager=m")
                .body.text("metadata.resourceVersion"),
            before);
  EXPECT_EQ(patch_run(kMerge, "{}").body.text("metadata.resourceVersion"), before);
  EXPECT_EQ(patch_run(kMerge, R"({"status":{"phase":"Succeeded"}})")
                .body.text("metadata.resourceVersion"),
            before);
}

TEST_F(Changes, OfARunsSpecAreInvalidAndNameTheField) {
  const Answer answer =
      patch_run(kMerge, R"({"spec":{"priority":5,"command":"python3 other.py"}})");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.reason(), "FIELD_IMMUTABLE");
  EXPECT_EQ(answer.body.text("reason"), "Invalid");
  EXPECT_EQ(answer.body.text("details.kind"), "Run");
  EXPECT_EQ(answer.body.text("details.name"), "r1");
  EXPECT_EQ(cause(answer, 0), "spec.command");
  EXPECT_EQ(cause(answer, 1), "spec.priority");
  EXPECT_EQ(patch_run(kMerge, R"({"spec":null})").status, 422);
  EXPECT_EQ(cause(patch_run(kMerge, R"({"spec":{"sandbox":{"network":
                      {"enabled":true,"allowDomains":["a.example"]}}}})"),
                  1),
            "spec.sandbox.network.enabled");
  EXPECT_EQ(patch_run(kMerge, R"({"spec":{"priority":"high"}})").status, 422);
  EXPECT_EQ(patch_run(kMerge, R"({"spec":{"prioritee":1}})").reason(), "UNKNOWN_FIELD");
}

TEST_F(Changes, CanCancelARunAndNeverUndoIt) {
  EXPECT_EQ(patch_run(kMerge, R"({"spec":{"cancelRequested":true}})").body.text("status.phase"),
            "Canceled");
  const Answer undone = patch_run(kMerge, R"({"spec":{"cancelRequested":false}})");
  EXPECT_EQ(undone.status, 200);
  EXPECT_EQ(*undone.body.at("spec.cancelRequested")->boolean(), true);
}

TEST_F(Changes, ByPutTakeAFileWithoutTheDefaults) {
  const std::string body = cat(
      R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"r1","labels":{"v":"2"}},)",
      R"("spec":{"type":"compute","command":"python3 s.py","workspace":"w"}})");
  const Answer put = call("PUT", cat(kRuns, "/r1"), body);
  EXPECT_EQ(put.status, 200) << put.text;
  EXPECT_EQ(put.body.text("metadata.labels.v"), "2");
  EXPECT_EQ(put.body.text("spec.timeout"), "30m");
  EXPECT_EQ(call("PUT", cat(kRuns, "/nope"), body).status, 404);
  EXPECT_EQ(call("PUT", cat(kRuns, "/r1"), run_text("r2")).reason(), "NAME_MISMATCH");
}

TEST_F(Changes, DetectStaleVersionsAndOtherObjects) {
  const std::string old = version();
  patch_run(kMerge, R"({"metadata":{"labels":{"a":"1"}}})");
  const Answer stale = patch_run(
      kMerge, cat(R"({"metadata":{"resourceVersion":")", old, R"(","labels":{"a":"2"}}})"));
  EXPECT_EQ(stale.status, 409);
  EXPECT_EQ(stale.body.text("reason"), "Conflict");
  EXPECT_EQ(stale.reason(), "STALE_RESOURCE_VERSION");
  EXPECT_EQ(patch_run(kMerge, R"({"metadata":{"uid":"other"}})").status, 409);
  EXPECT_EQ(patch_run(kMerge, R"({"metadata":{"name":"other"}})").reason(), "NAME_MISMATCH");
  EXPECT_EQ(patch_run(kMerge, R"({"metadata":{"namespace":"other"}})").reason(),
            "NAMESPACE_MISMATCH");
  EXPECT_EQ(patch_run(kMerge, R"({"kind":"Node"})").reason(), "KIND_MISMATCH");
  EXPECT_EQ(patch_run(kMerge, R"({"metadata":{"labels":{"a b":"1"}}})").reason(), "LABEL_INVALID");
}

TEST_F(Changes, RefuseHostilePatchesWithAStatus) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "/a";
  struct Case {
    const char* type;
    std::string body;
    int status;
  };
  const std::vector<Case> cases = {
      {"application/strategic-merge-patch+json", "{}", 415},
      {"application/json", "{}", 415},
      {"", "{}", 415},
      {kMerge, "[]", 400},
      {kMerge, "null", 400},
      {kMerge, "{", 400},
      {kMerge, R"({"spec":{},"spec":{}})", 400},
      {kMerge, R"({"__proto__":{"x":1}})", 400},
      {kMerge, R"({"constructor":{"prototype":{}}})", 400},
      {kMerge, R"({"metadata":{"labels":[]}})", 422},
      {kJson, "{}", 400},
      {kJson, R"([{"op":"add","path":")" + deep + R"(","value":1}])", 400},
      {kJson, R"([{"op":"remove","path":""}])", 400},
      {kJson, R"([{"op":"replace","path":"","value":7}])", 422},
      {kJson, R"([{"op":"replace","path":"/kind","value":"Node"}])", 400},
      {kJson, R"([{"op":"test","path":"/metadata/name","value":"x"}])", 422},
      {kJson, R"([{"op":"add","path":"/metadata/labels/-","value":"x"}])", 422},
      {kJson, R"([{"op":"replace","path":"/status/phase","value":"Nope"}])", 422},
      {kApply, "a: &a [x]\nb: *a\n", 400},
      {kApply, "{}", 422}};
  const std::string before = version();
  for (const Case& each : cases) {
    const Answer answer = patch_run(each.type, each.body);
    EXPECT_EQ(answer.status, each.status) << each.type << " " << each.body << answer.text;
    EXPECT_EQ(answer.body.text("kind"), "Status") << each.body;
  }
  EXPECT_EQ(patch_run(kMerge, std::string((size_t{2} << 20) + 1, ' ')).status, 413);
  EXPECT_EQ(version(), before);
}

TEST_F(Changes, InADryRunKeepNothing) {
  const std::string before = version();
  const Answer tried = patch_run(kMerge, R"({"metadata":{"labels":{"a":"1"}}})", "?dryRun=All");
  EXPECT_EQ(tried.status, 200);
  EXPECT_EQ(tried.body.text("metadata.labels.a"), "1");
  EXPECT_EQ(tried.body.text("metadata.resourceVersion"), before);
  EXPECT_EQ(version(), before);
  const Answer made = call("POST", cat(kRuns, "?dryRun=All"), run_text("r2"));
  EXPECT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.body.text("spec.timeout"), "30m");
  EXPECT_EQ(call("GET", cat(kRuns, "/r2")).status, 404);
  EXPECT_EQ(call("POST", cat(kRuns, "?dryRun=All"), run_text("r1")).status, 409);
  patch_run(kMerge, R"({"spec":{"cancelRequested":true}})");
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r1"), R"({"dryRun":["All"]})").status, 200);
  EXPECT_EQ(call("GET", cat(kRuns, "/r1")).status, 200);
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r1"), R"({"dryRun":["Some"]})").status, 400);
  EXPECT_EQ(patch_run(kMerge, "{}", "?dryRun=yes").reason(), "PARAMETER_INVALID");
}

TEST_F(Changes, ADryRunThatIsNotUnderstoodIsRefused) {
  patch_run(kMerge, R"({"spec":{"cancelRequested":true}})");
  for (const char* body : {R"({"dryRun":"All"})", R"({"dryRun":true})", R"({"dryRun":{"All":1}})"})
    EXPECT_EQ(call("DELETE", cat(kRuns, "/r1"), body).reason(), "PARAMETER_INVALID") << body;
  for (const char* query : {"?dryRun=", "?dryRun", "?dryRun=All&dryRun="})
    EXPECT_EQ(call("DELETE", cat(kRuns, "/r1", query)).reason(), "PARAMETER_INVALID") << query;
  EXPECT_EQ(call("DELETE", kRuns, R"({"dryRun":"All"})").reason(), "PARAMETER_INVALID");
  EXPECT_EQ(call("GET", cat(kRuns, "/r1")).status, 200);
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r1"), R"({"dryRun":null})").status, 200);
  EXPECT_EQ(call("GET", cat(kRuns, "/r1")).status, 404);
}

TEST_F(Changes, JudgeUnknownFieldsAsTheCallerAsks) {
  const std::string odd = run_text("odd", R"(,"comand":"x")");
  EXPECT_EQ(call("POST", cat(kRuns, "?fieldValidation=Strict"), odd).reason(), "UNKNOWN_FIELD");
  EXPECT_EQ(call("POST", kRuns, odd).reason(), "UNKNOWN_FIELD");
  const Answer warned = call("POST", cat(kRuns, "?fieldValidation=Warn"), odd);
  EXPECT_EQ(warned.status, 201) << warned.text;
  bool warning = false;
  for (const auto& [name, value] : warned.response.headers)
    warning = warning || (name == "Warning" && value.find("spec.comand") != std::string::npos);
  EXPECT_TRUE(warning);
  EXPECT_EQ(call("POST", cat(kRuns, "?fieldValidation=Ignore"),
                 run_text("policy", R"(,"sandbox":{"netwrok":{}})"))
                .reason(),
            "UNKNOWN_FIELD");
  EXPECT_EQ(call("POST", cat(kRuns, "?fieldValidation=Maybe"), odd).reason(), "PARAMETER_INVALID");
}

TEST_F(Changes, OfAStatusAreAnAdministratorsAndOnlyItsOwnConditions) {
  const std::string target = cat(kRuns, "/r1/status");
  const std::string checked =
      R"({"status":{"conditions":[{"type":"Scheduled","status":"False","reason":"WAITING"},{"type":"Reviewed","status":"True"}]}})";
  const Answer seen = call("GET", target);
  EXPECT_EQ(seen.status, 200);
  EXPECT_EQ(patch(target, kMerge, R"({"status":{"phase":"Succeeded"}})").reason(),
            "FIELD_IMMUTABLE");
  EXPECT_EQ(
      patch(
          target, kJson,
          R"([{"op":"add","path":"/status/conditions/-","value":{"type":"Complete","status":"True"}}])")
          .reason(),
      "FIELD_IMMUTABLE");
  const Answer reviewed = patch(
      target, kJson,
      R"([{"op":"add","path":"/status/conditions/-","value":{"type":"Reviewed","status":"True"}},
                      {"op":"add","path":"/metadata/labels","value":{"not":"here"}}])");
  EXPECT_EQ(reviewed.status, 200) << reviewed.text;
  EXPECT_EQ(reviewed.body.at("metadata.labels"), nullptr);
  EXPECT_EQ(reviewed.body.at("status.conditions")->array()->size(), 2u);
  Request request = request_of("PATCH", target, add_token("w", {"runs:write", "runs:read"}));
  request.headers["content-type"] = kMerge;
  EXPECT_EQ(send(request, checked).status, 403);
}

TEST_F(Changes, OfAVolumeAreItsLabels) {
  contracts::Volume volume;
  volume.metadata.name = "v";
  volume.metadata.name_space = "default";
  volume.metadata.uid = "u-v";
  volume.status.versions.push_back({.version = 1, .run = "r"});
  ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(volume); }).ok());
  const std::string target = "/apis/paddock.dev/v1alpha1/namespaces/default/volumes/v";
  const Answer labelled =
      patch(target, kMerge, R"({"metadata":{"labels":{"a":"1"}},"status":{"versions":[]}})");
  EXPECT_EQ(labelled.status, 200) << labelled.text;
  EXPECT_EQ(labelled.body.text("metadata.labels.a"), "1");
  EXPECT_EQ(labelled.body.at("status.versions")->array()->size(), 1u);
  EXPECT_EQ(patch(target + "/status", kMerge, R"({"status":{"versions":[]}})").reason(),
            "FIELD_IMMUTABLE");
  EXPECT_EQ(call("DELETE", target, R"({"dryRun":["All"]})").status, 200);
  EXPECT_EQ(call("GET", target).status, 200);
}

// The reserve of a full disk is finite, and a deletion that is only tried may be tried without end.
TEST_F(Changes, ThatAreOnlyTriedUseNoReserve) {
  store::FullStore full(*store_);
  int made = 0;
  const auto change = [&](store::WriteTxn&) -> Status { return ++made, Status(); };
  EXPECT_EQ(free_or_try(full, true, change).error().reason, "STORE_FULL");
  EXPECT_EQ(made, 0);
  EXPECT_TRUE(free_or_try(full, false, change).ok());
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace paddock::api
