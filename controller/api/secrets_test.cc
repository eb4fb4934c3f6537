// Secrets over the API: written, given to runs of their namespace, and never to be read again.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include "controller/api/secrets_test_support.h"
#include "controller/api/watch_test_support.h"
#include "controller/secrets/vault.h"

namespace paddock::api {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

TEST_F(Secrets, ShowTheNamesAndSizesOfTheirValuesInNoAnswerTheValues) {
  const std::string last = R"("annotations":{"kubectl.kubernetes.io/last-applied-configuration":)"
                           R"("hunter2-value aHVudGVyMi12YWx1ZQ==","kept":"yes"})";
  const Answer made = call("POST", cat(kSecretsPath, "?fieldManager=me"),
                           secret_document(R"("data":{"password":"aHVudGVyMi12YWx1ZQ=="},)"
                                           R"("stringData":{"token":"tiger-value"})",
                                           cat(R"("name":"db",)", last)));
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(names_of(made), "password=13 token=11");
  EXPECT_EQ(made.body.at("stringData"), nullptr);
  EXPECT_EQ(made.body.text("metadata.annotations.kept"), "yes");
  Request table = request_of("GET", kSecretsPath, admin_);
  table.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const std::vector<Answer> answers = {
      made,
      call("GET", kSecretPath),
      call("GET", kSecretsPath),
      call("GET", cat(kSecretPath, "/status")),
      call("GET", "/apis/paddock.dev/v1alpha1/secrets"),
      call("GET", "/audit"),
      send(table),
      call("POST", cat(kSecretsPath, "?dryRun=All"),
           secret_document(R"("stringData":{"a":"hunter2-value"})", R"("name":"tried")")),
      patch(R"({"stringData":{"password":"tiger-value"}})"),
      patch(R"({"stringData":{"password":"hunter2-value"}})", "merge-patch+json", "?dryRun=All"),
      patch(secret_document(R"("stringData":{"token":"tiger-value"})"), "apply-patch+yaml",
            "?fieldManager=other&force=true"),
      patch(secret_document(R"("data":{"token":"aHVudGVyMi12YWx1ZQ=="})"), "apply-patch+yaml",
            "?fieldManager=third"),
      call("PUT", kSecretPath, secret_document(R"("data":{"password":"aHVudGVyMi12YWx1ZQ=="})")),
      call("DELETE", cat(kSecretPath, "?dryRun=All")),
      call("GET", "/audit"),
      call("DELETE", kSecretPath)};
  for (const Answer& answer : answers) {
    EXPECT_THAT(answer.status, testing::AnyOf(200, 201, 409)) << answer.text;
    expect_no_value(answer);
  }
  EXPECT_THAT(call("GET", "/audit").text, HasSubstr(R"("values":"password token")"));
}

class SecretWatch : public WatchTest {};

TEST_F(SecretWatch, TellsOfThemWithoutTheirValues) {
  const std::string version = call("GET", kSecretsPath).body.text("metadata.resourceVersion");
  bool acted = false;
  const ActingStream stream = watch_target(
      cat(kSecretsPath, "?watch=true&resourceVersion=", version), [&](ActingStream& s) {
        if (!std::exchange(acted, true)) {
          EXPECT_EQ(
              call("POST", kSecretsPath, secret_document(R"("data":{"k":"aHVudGVyMi12YWx1ZQ=="})"))
                  .status,
              201);
          EXPECT_EQ(call("PUT", kSecretPath, secret_document(R"("stringData":{"k":"tiger-value"})"))
                        .status,
                    200);
          EXPECT_EQ(call("DELETE", kSecretPath).status, 200);
        }
        return s.events.size() < 3;
      });
  EXPECT_EQ(stream.types(), "AMD") << stream.text;
  for (const char* value : {kSecretValue, kSecretValue64, kOtherSecretValue})
    EXPECT_THAT(stream.text, Not(HasSubstr(value)));
}

TEST_F(Secrets, AreChangedByTheValuesThatAreNamedAndKeepTheOthers) {
  ASSERT_EQ(make().status, 201);
  EXPECT_EQ(names_of(patch(R"({"stringData":{"more":"12345"}})")), "more=5 password=13 token=11");
  EXPECT_EQ(names_of(patch(R"({"data":{"token":null}})")), "more=5 password=13");
  EXPECT_EQ(names_of(patch(R"([{"op":"remove","path":"/data/more"}])", "json-patch+json")),
            "password=13");
  const Answer seen = call("GET", kSecretPath);
  const Answer written = call("PUT", kSecretPath, seen.text);
  EXPECT_EQ(written.status, 200) << "what was read can be written";
  EXPECT_EQ(written.body.text("metadata.resourceVersion"),
            seen.body.text("metadata.resourceVersion"));
  EXPECT_EQ(names_of(call("PUT", kSecretPath, secret_document(R"("stringData":{"only":"x"})"))),
            "only=1");
  ASSERT_EQ(run_with(R"([{"name":"db"}])").status, 201);
  bind("r");
  EXPECT_EQ(given().body.at("secrets")->array()->size(), 1u);
  const std::string before = call("GET", kSecretPath).body.text("metadata.resourceVersion");
  const Answer same = patch(R"({"stringData":{"only":"y"}})");
  EXPECT_NE(same.body.text("metadata.resourceVersion"), before) << "whoever watches is told";
  EXPECT_THAT(given().text, HasSubstr(R"("value":"eQ==")"));
}

TEST_F(Secrets, AreGivenToTheNodeOfARunForItsAttemptAlone) {
  ASSERT_EQ(make().status, 201);
  ASSERT_EQ(run_with(R"([{"name":"db","key":"password","variable":"PASS"},{"name":"db"}])").status,
            201);
  EXPECT_EQ(given().status, 404) << "not its run yet";
  bind("r");
  const Answer all = given();
  ASSERT_EQ(all.status, 201) << all.text;
  EXPECT_EQ(wire::to_json(*all.body.at("secrets")),
            R"([{"variable":"PASS","value":"aHVudGVyMi12YWx1ZQ=="},)"
            R"({"file":"db/password","value":"aHVudGVyMi12YWx1ZQ=="},)"
            R"({"file":"db/token","value":"dGlnZXItdmFsdWU="}])");
  EXPECT_THAT(all.response.headers, testing::Contains(testing::Pair("cache-control", "no-store")));
  EXPECT_EQ(given("r", 2).reason(), "STALE_ATTEMPT");
  const std::string uid = call("GET", cat(kRuns, "/r")).body.text("metadata.uid");
  const std::string path = cat(kNodes, "/n1/runs/", uid, "/secrets");
  EXPECT_EQ(call("POST", path, R"({"attempt":1})").status, 403) << "not even an administrator";
  const std::string other = add_token("node:n2", auth::node_scopes());
  EXPECT_EQ(send(request_of("POST", path, other), R"({"attempt":1})").status, 403);
  EXPECT_EQ(
      send(request_of("POST", cat(kNodes, "/n2/runs/", uid, "/secrets"), other), R"({"attempt":1})")
          .status,
      404);
  ASSERT_EQ(call("DELETE", kSecretPath).status, 200);
  EXPECT_EQ(given().reason(), "SECRET_NOT_FOUND") << "gone before it was launched";
}

TEST_F(Secrets, WhoseDeletionIsHeldOpenNoMore) {
  ASSERT_EQ(make().status, 201);
  ASSERT_EQ(patch(R"({"metadata":{"finalizers":["a.example/x"]}})").status, 200);
  ASSERT_EQ(run_with(R"([{"name":"db"}])").status, 201);
  bind("r");
  ASSERT_EQ(given().status, 201);
  ASSERT_EQ(call("DELETE", kSecretPath).status, 200);
  EXPECT_EQ(given().reason(), "SECRET_NOT_FOUND");
  EXPECT_EQ(run_with(R"([{"name":"db"}])", "later").reason(), "SECRET_NOT_FOUND");
  EXPECT_EQ(call("GET", kSecretPath).status, 200);
}

TEST_F(Secrets, AreForWhoMayUseThemInTheirNamespace) {
  ASSERT_EQ(make().status, 201);
  const auto create = [&](const std::string& token, const std::string& runs) {
    return send(request_of("POST", runs, token),
                R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"m"},)"
                R"("spec":{"type":"command","command":["id"],"secrets":[{"name":"db"}]}})")
        .reason();
  };
  const std::string maker = add_token("maker", {"runs:write", "runs:read"});
  const std::string user = add_token("user", {"runs:write", "secrets:use"});
  const std::string team = add_token("team", {"*"}, "team");
  const std::string runs_of_team = "/apis/paddock.dev/v1alpha1/namespaces/team/runs";
  EXPECT_EQ(create(maker, kRuns), "SCOPE_MISSING");
  EXPECT_EQ(create(user, kRuns), "");
  EXPECT_EQ(create(team, kRuns), "NAMESPACE_DENIED");
  EXPECT_EQ(send(request_of("POST", runs_of_team, team),
                 R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"x"},)"
                 R"("spec":{"type":"command","command":["id"],"secrets":[{"name":"db"}]}})")
                .reason(),
            "SECRET_NOT_FOUND")
      << "a name leads into no other namespace";
  EXPECT_EQ(send(request_of("POST", "/apis/paddock.dev/v1alpha1/namespaces/default/plan", maker),
                 R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"p"},)"
                 R"("spec":{"type":"command","command":["id"],"secrets":[{"name":"db"}]}})")
                .reason(),
            "SCOPE_MISSING");
  EXPECT_EQ(send(request_of("POST", kRuns, maker),
                 R"({"apiVersion":"paddock.dev/v1alpha1","kind":"RunList","items":[)"
                 R"({"metadata":{"name":"l"},"spec":{"type":"command","command":["id"],)"
                 R"("secrets":[{"name":"db"}]}}]})")
                .status,
            403);
  for (const char* target : {kSecretsPath, kSecretPath}) {
    EXPECT_EQ(send(request_of("GET", target, user)).reason(), "SCOPE_MISSING") << target;
    EXPECT_EQ(send(request_of("GET", target, team)).reason(), "NAMESPACE_DENIED") << target;
  }
}

TEST_F(Secrets, ThatMakeNoSenseAreRefusedByTheFieldAndWithoutTheValue) {
  ASSERT_EQ(make().status, 201);
  struct Bad {
    std::string body;
    const char* reason;
    const char* field;
  };
  const std::string large(contracts::kMaxSecretBytes + 1, 'x');
  const std::vector<Bad> all = {
      {secret_document(R"("stringData":{"../up":"hunter2-value"})", R"("name":"b")"),
       "INVALID_FIELD", "stringData.../up"},
      {secret_document(R"("stringData":{"a/b":"hunter2-value"})", R"("name":"b")"), "INVALID_FIELD",
       "stringData.a/b"},
      {secret_document(R"("data":{"a":"hunter2-value"})", R"("name":"b")"), "INVALID_FIELD",
       "data.a"},
      {secret_document(R"("stringData":{"a":17})", R"("name":"b")"), "INVALID_FIELD",
       "stringData.a"},
      {secret_document("", R"("name":"b")"), "SECRET_EMPTY", "data"},
      {secret_document(R"("data":{"a":"***"})", R"("name":"b")"), "SECRET_VALUE_MISSING", "data.a"},
      {secret_document(cat(R"("stringData":{"a":")", large, R"("})"), R"("name":"b")"),
       "INVALID_FIELD", "data"},
      {secret_document(R"("stringData":{"a":"hunter2-value"})", R"("name":"../etc")"),
       "NAME_INVALID", "metadata.name"},
      {secret_document(R"("stringDate":{"a":"hunter2-value"})", R"("name":"b")"), "UNKNOWN_FIELD",
       "stringDate"}};
  for (const Bad& each : all) {
    const Answer answer = call("POST", kSecretsPath, each.body);
    EXPECT_EQ(answer.reason(), each.reason) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(each.field));
    EXPECT_LT(answer.text.size(), 2000u);
    expect_no_value(answer);
  }
  EXPECT_EQ(call("POST", kSecretsPath, secret_document(R"("stringData":{"a":"x"})")).reason(),
            "SECRET_ALREADY_EXISTS");
  EXPECT_EQ(patch(R"({"data":{"token":null,"password":null}})").reason(), "SECRET_EMPTY");
  EXPECT_EQ(patch(R"([{"op":"copy","from":"/data/token","path":"/data/copy"}])", "json-patch+json")
                .reason(),
            "SECRET_VALUE_MISSING");
  EXPECT_EQ(patch(cat(R"({"stringData":{"a":")", large.substr(20), R"("}})")).reason(),
            "SECRET_TOO_LARGE");
}

TEST_F(Secrets, ARunThatAsksForWhatIsNotThereIsToldWhichFieldAndWhatThereIs) {
  ASSERT_EQ(make().status, 201);
  std::string large(contracts::kMaxSecretVariableBytes + 1, 'x');
  ASSERT_EQ(
      call("POST", kSecretsPath,
           secret_document(cat(R"("stringData":{"a":")", large, R"("})"), R"("name":"large")"))
          .status,
      201);
  const std::vector<std::array<std::string, 4>> all = {
      {R"([{"name":"none"}])", "SECRET_NOT_FOUND", "spec.secrets[0].name", "paddock secret create"},
      {R"([{"name":"db","key":"pass"}])", "SECRET_VALUE_NOT_FOUND", "spec.secrets[0].key",
       "password, token"},
      {R"([{"name":"db","variable":"PASS"}])", "SECRET_VALUE_UNCLEAR", "spec.secrets[0].key",
       "password, token"},
      {R"([{"name":"large","variable":"BIG"}])", "SECRET_TOO_LARGE", "spec.secrets[0].variable",
       "/run/secrets/large/a"},
      {R"([{"name":"../db"}])", "INVALID_FIELD", "secrets[0].name", "no path"},
      {R"([{"name":"db","key":"../token"}])", "INVALID_FIELD", "secrets[0].key", "no path"},
      {R"([{"name":"db","key":"token","variable":"LD_PRELOAD"}])", "INVALID_FIELD",
       "secrets[0].variable", "loaded"},
      {R"([{"name":"db"},{"name":"db","key":"token"}])", "SECRET_TWICE", "spec.secrets[1].name",
       "/run/secrets/db/token"}};
  for (const auto& [secrets, reason, field, remedy] : all) {
    const Answer answer = run_with(secrets);
    EXPECT_EQ(answer.reason(), reason) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(field));
    EXPECT_THAT(answer.text, HasSubstr(remedy));
  }
  const Answer compute =
      run_with(R"([{"name":"db","key":"token","variable":"T"}])", "c", "compute");
  EXPECT_EQ(compute.reason(), "ENV_NOT_ALLOWED");
  EXPECT_THAT(compute.text, HasSubstr("/run/secrets/db/token"));
  EXPECT_EQ(run_with(R"([{"name":"db"}])", "c", "compute").status, 201);
  const Answer several = run_with(R"([{"name":"none"},{"name":"db"},{"name":"no","key":"a"}])");
  EXPECT_THAT(several.text, HasSubstr("spec.secrets[0].name"));
  EXPECT_THAT(several.text, HasSubstr("spec.secrets[2].name"));
}

TEST_F(Secrets, AnIdempotencyKeyTellsAnotherValue) {
  const auto send_it = [&](const std::string& value) {
    Request request = request_of("POST", kSecretsPath, admin_);
    request.headers["idempotency-key"] = "once";
    return send(std::move(request), secret_document(cat(R"("stringData":{"a":")", value, R"("})")));
  };
  EXPECT_EQ(send_it("one").status, 201);
  EXPECT_EQ(send_it("one").status, 200);
  EXPECT_EQ(send_it("two").status, 422);
}

TEST_F(Secrets, WhatIsAppliedIsWhatThereIs) {
  const auto apply = [&](const std::string& data) {
    Request request = request_of("PATCH", cat(kSecretPath, "?fieldManager=me"), admin_);
    request.headers["content-type"] = "application/apply-patch+yaml";
    return send(std::move(request), secret_document(cat(R"("data":{)", data, "}")));
  };
  EXPECT_EQ(apply(R"("a":"b25l","b":"b25l")").status, 201);
  EXPECT_EQ(apply(R"("a":"dHdvLXR3bw==")").status, 200);
  const Answer now = call("GET", kSecretPath);
  EXPECT_EQ(now.body.at("status.values")->array()->size(), 1u) << now.text;
  EXPECT_EQ(*now.body.at("status.values")->array()->front().find("bytes")->integer(), 7);
}

TEST_F(Secrets, TheirKeyIsReplacedByCommandAndEveryValueIsSealedAnew) {
  ASSERT_EQ(make().status, 201);
  ASSERT_EQ(run_with(R"([{"name":"db"}])").status, 201);
  bind("r");
  const std::string before = services_.vault->keys()->keys.front().id;
  EXPECT_EQ(
      send(request_of("POST", "/admin/secret-key/rotate", add_token("u", {"secrets:write"})), "{}")
          .status,
      403);
  const Answer done = call("POST", "/admin/secret-key/rotate", "{}");
  ASSERT_EQ(done.status, 200) << done.text;
  const auto ring = services_.vault->keys();
  ASSERT_EQ(ring->keys.size(), 1u);
  EXPECT_NE(ring->keys.front().id, before);
  EXPECT_EQ(done.body.text("keyId"), ring->keys.front().id);
  EXPECT_THAT(done.text, Not(HasSubstr(hex(ring->keys.front().bytes))));
  EXPECT_THAT(given().text, HasSubstr(kSecretValue64));
  EXPECT_THAT(call("GET", "/audit").text, HasSubstr("secretkey.rotate"));
}

}  // namespace
}  // namespace paddock::api
