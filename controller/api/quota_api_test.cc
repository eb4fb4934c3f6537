// Quotas of a namespace, as its grants set them: who may, what is refused, what is shown.
#include <gmock/gmock.h>

#include "controller/api/node_test_support.h"
#include "controller/nodes/synchronize.h"

namespace paddock::api {
namespace {

using testing::HasSubstr;

class Quotas : public NodeApiTest {
 protected:
  static constexpr const char* kGrants = "/apis/paddock.dev/v1alpha1/namespaces/default/grants";
  static constexpr const char* kPlan = "/apis/paddock.dev/v1alpha1/namespaces/default/plan";

  Quotas() { make_workspace(); }
  void SetUp() override {
    enroll();
    contracts::SyncRequest hello;
    hello.process = "process-1";
    hello.status.emplace().capacity = {16, {int64_t{64} << 30}, {int64_t{1} << 40}, 16};
    ASSERT_TRUE(nodes::synchronize(*store_, leases_, "n1", hello, nodes::now(clock_)).ok());
  }
  static std::string grant_text(const std::string& compute, const std::string& labels = "{}") {
    return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Grant","metadata":{"name":"bound",)",
               R"("labels":)", labels, R"(},"spec":{"compute":)", compute, "}}");
  }
  void put_quota(const std::string& quota) {
    const Answer made = call("POST", kGrants, grant_text(cat(R"({"quota":)", quota, "}")));
    ASSERT_EQ(made.status, 201) << made.text;
  }
  Answer patch(const std::string& token, const std::string& body) {
    Request request = request_of("PATCH", cat(kGrants, "/bound"), token);
    request.headers["content-type"] = "application/merge-patch+json";
    return send(std::move(request), body);
  }
  Answer make(const std::string& name, const std::string& spec = {}) {
    return call("POST", kRuns, run_text(name, spec));
  }
  void tick() { ASSERT_TRUE(reconciler_.tick(nodes::now(clock_)).ok()); }
  std::string phase(const std::string& name) {
    return call("GET", cat(kRuns, "/", name)).body.text("status.phase");
  }
  std::string message(const std::string& name) {
    return call("GET", cat(kRuns, "/", name)).body.text("status.message");
  }
};

TEST_F(Quotas, AreForAdministratorsOfAllNamespacesToSetChangeAndRemove) {
  const std::string writer = add_token("w", {"grants:read", "grants:write"});
  const std::string local = add_token("l", {"*"}, "default");
  const std::string quota = grant_text(R"({"quota":{"runs":1}})");
  for (const std::string& token : {writer, local}) {
    const Answer refused = send(request_of("POST", kGrants, token), quota);
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.reason(), "QUOTA_NOT_YOURS") << refused.text;
    EXPECT_THAT(refused.text, HasSubstr("spec.compute.quota"));
  }
  put_quota(R"({"runs":1})");
  for (const std::string& token : {writer, local}) {
    EXPECT_EQ(patch(token, R"({"spec":{"compute":{"quota":{"runs":2}}}})").reason(),
              "QUOTA_NOT_YOURS");
    EXPECT_EQ(patch(token, R"({"spec":{"compute":{"quota":null}}})").reason(), "QUOTA_NOT_YOURS");
    EXPECT_EQ(patch(token, R"({"spec":null})").reason(), "QUOTA_NOT_YOURS");
    EXPECT_EQ(send(request_of("PUT", cat(kGrants, "/bound"), token), grant_text("{}")).reason(),
              "QUOTA_NOT_YOURS");
    EXPECT_EQ(send(request_of("DELETE", cat(kGrants, "/bound"), token)).reason(),
              "QUOTA_NOT_YOURS");
    const Answer all = send(request_of("DELETE", kGrants, token));
    EXPECT_EQ(all.status, 403);
    EXPECT_EQ(all.reason(), "QUOTA_NOT_YOURS");
    EXPECT_EQ(patch(token, R"({"metadata":{"labels":{"a":"b"}}})").status, 200)
        << "what is not the quota is as before";
  }
  EXPECT_EQ(patch(admin_, R"({"spec":{"compute":{"quota":{"runs":2}}}})").status, 200);
  EXPECT_EQ(call("DELETE", cat(kGrants, "/bound")).status, 200);
  EXPECT_EQ(send(request_of("POST", kGrants, writer), grant_text(R"({"cpu":2})")).status, 201);
}

TEST_F(Quotas, RefuseARunThatCouldNeverBePlacedAndNameWhatWouldPass) {
  put_quota(
      R"({"cpu":4,"memory":"8Gi","disk":"4Gi","accelerators":[{"kind":"nvidia","count":0}]})");
  const Answer cores = make("a", R"(,"resources":{"cpu":5})");
  EXPECT_EQ(cores.status, 403);
  EXPECT_EQ(cores.reason(), "QUOTA_TOO_SMALL");
  EXPECT_THAT(cores.text, HasSubstr("spec.resources.cpu"));
  EXPECT_THAT(cores.text, HasSubstr("4 cores"));
  EXPECT_EQ(make("b", R"(,"sandbox":{"limits":{"memory":"9Gi"}})").reason(), "QUOTA_TOO_SMALL");
  EXPECT_THAT(make("f", R"(,"sandbox":{"limits":{"fsBytes":"5Gi"}})").text,
              HasSubstr("4Gi of disk"));
  EXPECT_EQ(make("c", R"(,"resources":{"accelerators":{"kind":"any","count":1}})").reason(),
            "QUOTA_TOO_SMALL");
  EXPECT_EQ(make("d", R"(,"resources":{"cpu":4})").status, 201);
  EXPECT_EQ(call("POST", kPlan, run_text("e", R"(,"resources":{"cpu":5})")).reason(),
            "QUOTA_TOO_SMALL");
}

TEST_F(Quotas, LetARunWaitAndSayWhyUntilThereIsRoom) {
  put_quota(R"({"runs":1,"memory":"16Gi","disk":"64Gi"})");
  ASSERT_EQ(make("first").status, 201);
  clock_.advance(Millis(1));
  ASSERT_EQ(make("second").status, 201);
  tick();
  EXPECT_EQ(phase("first"), "Scheduled");
  EXPECT_EQ(phase("second"), "Pending");
  EXPECT_THAT(message("second"), AllOf(HasSubstr("grant bound"), HasSubstr("1 of 1 runs")));
  const Answer plan = call("POST", kPlan, run_text("third"));
  EXPECT_TRUE(*plan.body.find("overQuota")->boolean()) << plan.text;
  EXPECT_THAT(plan.body.text("message"), HasSubstr("grant bound"));
  const Answer grant = call("GET", cat(kGrants, "/bound"));
  EXPECT_EQ(*grant.body.at("status.quotaUsed.runs")->integer(), 1);
  EXPECT_EQ(grant.body.text("status.quotaUsed.memory"), "8Gi") << "the profile's limit";
  EXPECT_EQ(grant.body.text("status.quotaUsed.disk"), "4Gi") << "likewise";
  Request table = request_of("GET", kGrants, admin_);
  table.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  EXPECT_THAT(send(std::move(table)).text, HasSubstr("runs 1/1, memory 8Gi/16Gi, disk 4Gi/64Gi"));

  // Lowered: what runs goes on. Raised: what waits goes.
  ASSERT_EQ(patch(admin_, R"({"spec":{"compute":{"quota":{"runs":0}}}})").status, 200);
  tick();
  EXPECT_EQ(phase("first"), "Scheduled");
  EXPECT_THAT(message("second"), HasSubstr("0 runs"));
  ASSERT_EQ(patch(admin_, R"({"spec":{"compute":{"quota":{"runs":2}}}})").status, 200);
  tick();
  EXPECT_EQ(phase("second"), "Scheduled");
}

TEST_F(Quotas, AreNoPlanOfAnotherSandboxThanTheRunWouldHave) {
  put_quota(R"({"memory":"16Gi"})");
  tick();
  const std::string files_not_sent_yet =
      R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"p"},)"
      R"("spec":{"type":"compute","command":"python3 s.py"}})";
  const Answer plan = call("POST", kPlan, files_not_sent_yet);
  ASSERT_EQ(plan.status, 200) << plan.text;
  EXPECT_FALSE(*plan.body.find("overQuota")->boolean()) << plan.text;
  EXPECT_EQ(plan.body.text("node"), "n1");
}

// What a plan and a submission say of one run, by code and by field.
TEST_F(Quotas, AndAllOtherRulesAreToldByAPlanAsByASubmission) {
  put_quota(R"({"cpu":4})");
  for (const char* spec :
       {R"(,"resources":{"cpu":5})", R"(,"timeout":"1000h")", R"(,"profile":"none")",
        R"(,"requirements":"missing.txt")", R"(,"volumes":[{"name":"missing"}])",
        R"(,"publish":"v")", R"(,"sandbox":{"network":{"enabled":true}})"}) {
    const Answer submitted = make("a", spec);
    const Answer planned = call("POST", kPlan, run_text("a", spec));
    EXPECT_GE(submitted.status, 400) << spec;
    EXPECT_EQ(planned.status, submitted.status) << spec;
    EXPECT_EQ(planned.reason(), submitted.reason()) << spec;
    EXPECT_EQ(*planned.body.at("error.details"), *submitted.body.at("error.details")) << spec;
  }
}

TEST_F(Quotas, PlansOfFilesThatAreNotSentYetAskTheSameOfThem) {
  const std::string tree = cat(R"("tree":{"entries":[{"path":"s.py","digest":")",
                               std::string(64, 'a'), R"(","size":1}]})");
  const auto plan = [&](const std::string& command, const std::string& files) {
    return call("POST", kPlan,
                cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"p"},)",
                    R"("spec":{"type":"compute","command":")", command, R"("})",
                    files.empty() ? "" : ",", files, "}"));
  };
  EXPECT_EQ(plan("python3 s.py", tree).status, 200) << plan("python3 s.py", tree).text;
  EXPECT_EQ(plan("python3 t.py", tree).reason(), "SCRIPT_NOT_FOUND");
  EXPECT_EQ(plan("python3 t.py", "").status, 200) << "nobody knows the files";
  EXPECT_EQ(plan("curl t.py", "").reason(), "COMMAND_NOT_ALLOWED");
  const Answer hostile = plan("python3 s.py", R"("tree":{"entries":[{"path":"../s.py"}]})");
  EXPECT_EQ(hostile.status, 400);
  EXPECT_THAT(hostile.text, HasSubstr("tree.entries[0]")) << hostile.text;
  EXPECT_EQ(plan("python3 s.py", R"("tree":7)").status, 400);
}

TEST_F(Quotas, EndWithTheirGrantAndAreNotStoredInItsStatus) {
  put_quota(R"({"runs":0})");
  EXPECT_EQ(make("a").reason(), "QUOTA_TOO_SMALL");
  tick();
  const Answer live = call("GET", cat(kGrants, "/bound"));
  ASSERT_NE(live.body.at("status.quotaUsed"), nullptr);
  Answer put = call("PUT", cat(kGrants, "/bound"), live.text);
  EXPECT_EQ(put.status, 200) << put.text;
  EXPECT_EQ(put.body.text("metadata.resourceVersion"), live.body.text("metadata.resourceVersion"))
      << "nothing changed";
  ASSERT_EQ(call("DELETE", cat(kGrants, "/bound")).status, 200);
  ASSERT_EQ(make("a").status, 201);
  tick();
  EXPECT_EQ(phase("a"), "Scheduled");
}

// From the deletion on, whoever keeps its record.
TEST_F(Quotas, EndWithTheDeletionOfAGrantThatIsHeld) {
  put_quota(R"({"runs":0})");
  ASSERT_EQ(patch(admin_, R"({"metadata":{"finalizers":["a.example/x"]}})").status, 200);
  EXPECT_EQ(make("a").reason(), "QUOTA_TOO_SMALL");
  tick();
  ASSERT_EQ(call("DELETE", cat(kGrants, "/bound")).status, 200);
  ASSERT_EQ(make("a").status, 201);
  tick();
  EXPECT_EQ(phase("a"), "Scheduled");
  EXPECT_EQ(call("GET", cat(kGrants, "/bound")).status, 200);
}

TEST_F(Quotas, NeedAWholeAndKnownDescription) {
  for (const char* bad :
       {R"({"quota":{"discs":1}})", R"({"quota":{"runs":-1}})",
        R"({"quota":{"accelerators":[{"kind":"nvidia"}]}})", R"({"quota":{"cpu":1000000001}})"}) {
    const Answer refused = call("POST", kGrants, grant_text(bad));
    EXPECT_EQ(refused.status, 400) << bad;
    EXPECT_THAT(refused.text, HasSubstr("spec.compute.quota")) << bad;
  }
}

}  // namespace
}  // namespace paddock::api
