// Server-side apply.
#include "controller/api/changes_test_support.h"

namespace paddock::api {
namespace {

class Apply : public Changes {
 protected:
  static std::string wish(const std::string& name, const std::string& metadata,
                          const std::string& spec = {}) {
    return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":")", name,
               "\"", metadata, "}", spec.empty() ? "" : R"(,"spec":)", spec, "}");
  }
  Answer apply(const std::string& name, const std::string& manager, const std::string& body,
               const std::string& more = {}) {
    return patch(cat(kRuns, "/", name, "?fieldManager=", manager, more), kApply, body);
  }
  static constexpr const char* kSpec =
      R"({"type":"compute","command":"python3 s.py","workspace":"w"})";
};

TEST_F(Apply, CreatesAndIsIdempotent) {
  const std::string body = wish("s1", R"(,"labels":{"a":"1"})", kSpec);
  const Answer made = apply("s1", "kubectl", body);
  ASSERT_EQ(made.status, 201) << made.text;
  const wire::Value& entry = made.body.at("metadata.managedFields")->array()->at(0);
  EXPECT_EQ(entry.text("manager"), "kubectl");
  EXPECT_EQ(entry.text("operation"), "Apply");
  EXPECT_NE(wire::to_json(entry).find(R"("f:labels":{"f:a":{}})"), std::string::npos);
  const Answer again = apply("s1", "kubectl", body);
  EXPECT_EQ(again.status, 200) << again.text;
  EXPECT_EQ(again.body.text("metadata.resourceVersion"),
            made.body.text("metadata.resourceVersion"));
}

// A value may be said in several ways and is stored in one.
TEST_F(Apply, OfAValueInOtherWordsChangesNothingAndConflictsWithNobody) {
  const std::string spec =
      R"({"type":"compute","command":"python3 s.py","workspace":"w","timeout":"60s",
          "resources":{"memory":"1024Mi"}})";
  const Answer made = apply("s1", "one", wish("s1", "", spec));
  ASSERT_EQ(made.status, 201) << made.text;
  ASSERT_EQ(made.body.text("spec.timeout"), "1m");
  const Answer again = apply("s1", "one", wish("s1", "", spec));
  EXPECT_EQ(again.status, 200) << again.text;
  EXPECT_EQ(again.body.text("metadata.resourceVersion"),
            made.body.text("metadata.resourceVersion"));
  EXPECT_EQ(apply("s1", "two", wish("s1", "", spec)).status, 200) << "shares it";
  const Answer other = apply("s1", "two", wish("s1", "", R"({"timeout":"61s"})"));
  EXPECT_EQ(other.reason(), "APPLY_CONFLICT");
  EXPECT_EQ(cause(other), ".spec.timeout");
}

TEST_F(Apply, JudgesMetadataThatNobodyKnowsAsACreateDoes) {
  const std::string unknown = wish("s1", R"(,"labelz":{"a":"1"})", kSpec);
  const Answer refused = apply("s1", "one", unknown);
  EXPECT_EQ(refused.reason(), "UNKNOWN_FIELD");
  ASSERT_EQ(apply("s1", "one", wish("s1", "", kSpec)).status, 201);
  const Answer again = apply("s1", "one", unknown);
  EXPECT_EQ(again.reason(), "UNKNOWN_FIELD") << again.text;
  EXPECT_EQ(cause(again), cause(refused));
  EXPECT_EQ(apply("s1", "one", unknown, "&fieldValidation=Ignore").status, 200);
  const std::string empty =
      wish("s1", R"(,"creationTimestamp":null,"deletionTimestamp":null)", kSpec);
  EXPECT_EQ(apply("s1", "one", empty).status, 200) << "as kubectl may write them";
}

// It needs none. One that was kept for good stood against whoever makes the object anew.
TEST_F(Apply, RemembersNoIdempotencyKey) {
  for (const char* label : {R"(,"labels":{"a":"1"})", R"(,"labels":{"a":"2"})"}) {
    Request request = request_of("PATCH", cat(kRuns, "/s1?fieldManager=one"), admin_);
    request.headers["content-type"] = kApply;
    request.headers["idempotency-key"] = "k1";
    const Answer made = send(request, wish("s1", label, kSpec));
    EXPECT_EQ(made.status, 201) << made.text;
    ASSERT_EQ(call("DELETE", cat(kRuns, "/s1")).status, 200);
  }
}

// Who says which object is meant does not want another one.
TEST_F(Apply, MakesNothingWhereTheObjectThatIsMeantIsNotThere) {
  for (const char* meant : {R"(,"uid":"5f1c")", R"(,"resourceVersion":"7")"}) {
    const Answer refused = apply("s1", "one", wish("s1", meant, kSpec));
    EXPECT_EQ(refused.status, 409) << refused.text;
    EXPECT_EQ(refused.reason(), "PRECONDITION_FAILED");
  }
  EXPECT_EQ(call("GET", cat(kRuns, "/s1")).status, 404);
  // A POST takes no uid, and refuses a version, as in Kubernetes.
  const Answer made = call("POST", kRuns, wish("s1", R"(,"uid":"5f1c")", kSpec));
  EXPECT_EQ(made.status, 201) << made.text;
  EXPECT_NE(made.body.text("metadata.uid"), "5f1c");
  const Answer refused = call("POST", kRuns, wish("s2", R"(,"resourceVersion":"7")", kSpec));
  EXPECT_EQ(refused.status, 400) << refused.text;
  EXPECT_EQ(refused.reason(), "INVALID_FIELD");
}

TEST_F(Apply, RemovesWhatItsManagerNoLongerApplies) {
  apply("s1", "one", wish("s1", R"(,"labels":{"a":"1","b":"2"})", kSpec));
  const Answer less = apply("s1", "one", wish("s1", R"(,"labels":{"a":"1"})", kSpec));
  EXPECT_EQ(less.status, 200) << less.text;
  EXPECT_EQ(less.body.at("metadata.labels")->object()->size(), 1u);
  apply("s1", "two", wish("s1", R"(,"labels":{"a":"1"})"));  // shares it: same value
  const Answer none = apply("s1", "one", wish("s1", "", kSpec));
  EXPECT_EQ(none.body.text("metadata.labels.a"), "1");  // still the other's
}

TEST_F(Apply, AddsAndRemovesFinalizers) {
  apply("s1", "one", wish("s1", "", kSpec));
  const std::string held = R"(,"finalizers":["a.example/x"])";
  EXPECT_EQ(
      apply("s1", "one", wish("s1", held, kSpec)).body.at("metadata.finalizers")->array()->size(),
      1u);
  EXPECT_EQ(apply("s1", "two", wish("s1", R"(,"finalizers":["b.example/y"])")).status, 409);
  EXPECT_EQ(call("DELETE", cat(kRuns, "/s1")).body.text("kind"), "Run");
  EXPECT_EQ(apply("s1", "one", wish("s1", "", kSpec)).status, 200);
  EXPECT_EQ(call("GET", cat(kRuns, "/s1")).status, 404);
}

TEST_F(Apply, ConflictsOverAFieldOfAnotherManagerUnlessForced) {
  apply("s1", "one", wish("s1", R"(,"labels":{"a":"1"})", kSpec));
  const Answer refused = apply("s1", "two", wish("s1", R"(,"labels":{"a":"2"})"));
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.text("message").find("\"one\""), std::string::npos);
  EXPECT_EQ(cause(refused), ".metadata.labels.a");
  EXPECT_EQ(refused.body.at("details.causes")->array()->at(0).text("reason"),
            "FieldManagerConflict");
  const Answer forced = apply("s1", "two", wish("s1", R"(,"labels":{"a":"2"})"), "&force=true");
  EXPECT_EQ(forced.body.text("metadata.labels.a"), "2");
  EXPECT_EQ(apply("s1", "one", wish("s1", R"(,"labels":{"a":"1"})", kSpec)).status, 409);
}

// As kubectl does: it takes over everything, defaults included, and applies again.
TEST_F(Apply, ThatTakesOverDefaultsAndDropsThemGetsThemAgain) {
  const wire::Value made = call("GET", cat(kRuns, "/r1")).body;
  wire::Value entry = made.at("metadata.managedFields")->array()->at(0);
  entry.set("manager", "one");
  entry.set("operation", "Apply");
  const Answer moved =
      patch_run(kMerge, cat(R"({"metadata":{"managedFields":[)", wire::to_json(entry), "]}}"));
  ASSERT_EQ(moved.status, 200) << moved.text;
  const Answer applied = apply("r1", "one", wish("r1", R"(,"labels":{"a":"1"})", kSpec));
  EXPECT_EQ(applied.status, 200) << applied.text;
  EXPECT_EQ(*applied.body.find("spec"), *made.find("spec"));
}

TEST_F(Apply, SeesWhatOtherWritesChanged) {
  patch_run(kMerge, R"({"metadata":{"labels":{"a":"1"}}})", "?fieldManager=kubectl-edit");
  const Answer refused = apply("r1", "one", wish("r1", R"(,"labels":{"a":"2"})"));
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.text("message").find("\"kubectl-edit\" using paddock.dev/v1alpha1"),
            std::string::npos);
}

TEST_F(Apply, NeedsAManagerAndTakesNoManagedFields) {
  const std::string body = wish("s1", "", kSpec);
  EXPECT_EQ(patch(cat(kRuns, "/s1"), kApply, body).reason(), "FIELD_MANAGER_REQUIRED");
  EXPECT_EQ(apply("s1", "one", wish("s1", R"(,"managedFields":[])", kSpec)).reason(),
            "MANAGED_FIELDS_SENT");
  EXPECT_EQ(apply("s1", std::string(200, 'm'), body).reason(), "FIELD_MANAGER_INVALID");
  EXPECT_EQ(apply("s2", "one", body).reason(), "NAME_MISMATCH");
  EXPECT_EQ(apply("r1", "one", wish("r1", "", R"({"priority":3})"), "&force=true").reason(),
            "FIELD_IMMUTABLE");
}

TEST_F(Apply, HonoursManagedFieldsThatAPatchSets) {
  patch_run(kMerge, R"({"metadata":{"labels":{"a":"1"}}})",
            "?fieldManager=kubectl-client-side-apply");
  const Answer moved = patch_run(kJson, cat(R"([{"op":"replace","path":"/metadata/managedFields",
      "value":[{"manager":"kubectl","operation":"Apply","apiVersion":"paddock.dev/v1alpha1",
      "fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:a":{}}}}}]},
      {"op":"replace","path":"/metadata/resourceVersion","value":")",
                                            version(), "\"}]"));
  EXPECT_EQ(moved.status, 200) << moved.text;
  EXPECT_EQ(apply("r1", "kubectl", wish("r1", R"(,"labels":{"a":"2"})")).status, 200);
  EXPECT_EQ(patch_run(kJson, R"([{"op":"replace","path":"/metadata/managedFields",
      "value":[{"manager":"x","fieldsV1":{"k:bad":{}}}]}])")
                .reason(),
            "FIELDS_INVALID");
}

TEST_F(Apply, KeepsAFewManagersHoweverManyWrite) {
  for (int i = 0; i < 40; ++i)
    patch_run(kMerge, cat(R"({"metadata":{"labels":{"l)", i, R"(":"x"}}})"),
              cat("?fieldManager=m", i));
  EXPECT_LE(call("GET", cat(kRuns, "/r1")).body.at("metadata.managedFields")->array()->size(), 11u);
}

TEST_F(Apply, OfWhatIsNoObjectOfOursCostsLittle) {
  std::string labels;
  for (int i = 0; i < 5'000; ++i) labels += cat(i == 0 ? "" : ",", "\"l", i, "\":\"x\"");
  EXPECT_EQ(apply("r1", "one", wish("r1", cat(R"(,"labels":{)", labels, "}"))).status, 413);
  std::string some;
  for (int i = 0; i < 2'000; ++i) some += cat(i == 0 ? "" : ",", "\"l", i, "\":\"x\"");
  const Answer many = apply("r1", "one", wish("r1", cat(R"(,"labels":{)", some, "}")));
  EXPECT_EQ(many.status, 422) << many.text.substr(0, 300);
  std::string managers;
  for (int i = 0; i < 10'000; ++i)
    managers += cat(i == 0 ? "" : ",", R"({"manager":"m)", i, R"(","fieldsV1":{"f:spec":{}}})");
  const Answer owned = patch_run(kMerge, cat(R"({"metadata":{"managedFields":[)", managers, "]}}"));
  EXPECT_EQ(owned.status, 413) << owned.text.substr(0, 300);
}

}  // namespace
}  // namespace paddock::api
