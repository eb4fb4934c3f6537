// A run that has not ended is canceled by its deletion and gone once its node has let go of it;
// finalizers hold objects of every kind.
#include <gmock/gmock.h>

#include "controller/api/agent_api_test_support.h"

namespace paddock::api {
namespace {

using testing::HasSubstr;

class Deletions : public AgentApiTest {
 protected:
  Answer patch(const std::string& target, const std::string& body) {
    Request request = request_of("PATCH", target, admin_);
    request.headers["content-type"] = "application/merge-patch+json";
    return send(request, body);
  }
  size_t audited(std::string_view type) {
    size_t count = 0;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      store::AuditQuery query;
                      query.type = type;
                      ASSIGN_OR_RETURN(const auto events, txn.audit_events(query));
                      count = events.size();
                      return {};
                    })
                    .ok());
    return count;
  }
};

TEST_F(Deletions, OfARunThatWaitsCancelItAndItIsGone) {
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  const Answer gone = call("DELETE", cat(kRuns, "/r"), R"({"propagationPolicy":"Background"})");
  EXPECT_EQ(gone.body.text("kind"), "Status") << gone.text;
  EXPECT_EQ(gone.body.text("details.name"), "r");
  EXPECT_EQ(gone.body.text("details.kind"), "runs");
  EXPECT_FALSE(gone.body.text("details.uid").empty());
  EXPECT_EQ(run("r").reason(), "RUN_NOT_FOUND");
  EXPECT_EQ(audited(contracts::audit::kRunCancel), 1u);
  EXPECT_EQ(audited(contracts::audit::kObjectDelete), 1u);
}

TEST_F(Deletions, OfAPlacedRunWaitForItsNode) {
  const std::string uid = placed("r");
  const std::string version = call("GET", kRuns).body.text("metadata.resourceVersion");
  const Answer marked = call("DELETE", cat(kRuns, "/r"));
  ASSERT_EQ(marked.status, 200) << marked.text;
  EXPECT_EQ(marked.body.text("kind"), "Run");
  EXPECT_FALSE(marked.body.text("metadata.deletionTimestamp").empty());
  EXPECT_THAT(assigned(), HasSubstr(R"("desired":"cancel")"));
  clock_.advance(Millis(3'000));
  const Answer again = call("DELETE", cat(kRuns, "/r"));
  EXPECT_EQ(again.body.text("metadata.deletionTimestamp"),
            marked.body.text("metadata.deletionTimestamp"));
  EXPECT_EQ(again.body.text("metadata.resourceVersion"),
            marked.body.text("metadata.resourceVersion"));
  EXPECT_EQ(end_on_node(uid).status, 200);
  EXPECT_EQ(run("r").reason(), "RUN_NOT_FOUND");
  EXPECT_EQ(assigned(), "[]");
  EXPECT_EQ(end_on_node(uid).status, 200) << "a report that comes again is of nobody's run";
  EXPECT_EQ(audited(contracts::audit::kRunCancel), 1u);
  EXPECT_EQ(audited(contracts::audit::kObjectDelete), 1u);
  const ActingStream stream =
      watch_target(cat(kRuns, "?watch=true&resourceVersion=", version),
                   [](ActingStream& s) { return s.types().find('D') == std::string::npos; });
  EXPECT_EQ(stream.types(), "MMD") << stream.text;
  EXPECT_EQ(stream.events.back().text("object.status.phase"), "Canceled");
}

TEST_F(Deletions, AreCarriedOutWhenTheNodeIsLost) {
  placed("r");
  call("DELETE", cat(kRuns, "/r"));
  leases_.forget("n1");
  clock_.advance(Millis(60'000));
  ASSERT_TRUE(reconciler_.tick(nodes::now(clock_)).ok());
  EXPECT_EQ(run("r").reason(), "RUN_NOT_FOUND");
}

TEST_F(Deletions, ByForceWaitForNobodyAndSaySo) {
  const std::string uid = placed("r");
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r")).body.text("kind"), "Run");
  const Answer forced = call("DELETE", cat(kRuns, "/r"), R"({"gracePeriodSeconds":0})");
  EXPECT_EQ(forced.body.text("kind"), "Status") << forced.text;
  EXPECT_THAT(forced.response.headers,
              testing::Contains(testing::Pair(testing::StrCaseEq("warning"), HasSubstr("force"))));
  EXPECT_EQ(run("r").reason(), "RUN_NOT_FOUND");
  EXPECT_EQ(assigned(), "[]") << "so its node ends it";
  EXPECT_EQ(end_on_node(uid).status, 200);
  EXPECT_EQ(audited(contracts::audit::kObjectDelete), 1u);
}

TEST_F(Deletions, ThatLeaveNoGraceKill) {
  placed("r");
  const Answer marked = call("DELETE", cat(kRuns, "/r?gracePeriodSeconds=1"));
  EXPECT_EQ(*marked.body.at("status.killNow")->boolean(), true) << marked.text;
  EXPECT_THAT(assigned(), HasSubstr(R"("killNow":true)"));
}

class DeletionsWithGrace : public Deletions {
 protected:
  void SetUp() override {
    join();
    const Answer made = call("POST", kRuns, run_text("r", R"(,"terminationGrace":"40s")"));
    ASSERT_EQ(made.status, 201) << made.text;
    ASSERT_EQ(reconciler_.tick(nodes::now(clock_))->bound, 1);
  }
  int64_t grace_of(const Answer& marked) {
    const wire::Value* grace = marked.body.at("metadata.deletionGracePeriodSeconds");
    return grace != nullptr && grace->integer() != nullptr ? *grace->integer() : -1;
  }
  static bool warns(const Answer& answer, const char* of) {
    return testing::Value(
        answer.response.headers,
        testing::Contains(testing::Pair(testing::StrCaseEq("warning"), HasSubstr(of))));
  }
};

TEST_F(DeletionsWithGrace, LeaveARunWhatWasAskedForAndNoMore) {
  const Answer marked = call("DELETE", cat(kRuns, "/r?gracePeriodSeconds=3"));
  EXPECT_EQ(grace_of(marked), 3) << marked.text;
  EXPECT_FALSE(warns(marked, "grace"));
  clock_.advance(Millis(2'999));
  EXPECT_EQ(reconciler_.tick(nodes::now(clock_))->next, Millis(1));
  EXPECT_THAT(assigned(), testing::Not(HasSubstr("killNow")));
  clock_.advance(Millis(1));
  ASSERT_TRUE(reconciler_.tick(nodes::now(clock_)).ok());
  EXPECT_THAT(assigned(), HasSubstr(R"("killNow":true)"));
}

TEST_F(DeletionsWithGrace, ThatAreAskedAgainShortenItFurtherFromTheFirstTimeOn) {
  EXPECT_EQ(grace_of(call("DELETE", cat(kRuns, "/r"))), 40);
  EXPECT_EQ(grace_of(call("DELETE", cat(kRuns, "/r?gracePeriodSeconds=20"))), 20);
  clock_.advance(Millis(8'000));
  EXPECT_EQ(grace_of(call("DELETE", cat(kRuns, "/r?gracePeriodSeconds=30"))), 20);
  EXPECT_EQ(grace_of(call("DELETE", cat(kRuns, "/r"), R"({"gracePeriodSeconds":8})")), 8);
  ASSERT_TRUE(reconciler_.tick(nodes::now(clock_)).ok());
  EXPECT_THAT(assigned(), HasSubstr(R"("killNow":true)"));
}

TEST_F(DeletionsWithGrace, ThatAskForMoreAreToldWhatHolds) {
  const Answer marked = call("DELETE", cat(kRuns, "/r?gracePeriodSeconds=60"));
  EXPECT_EQ(grace_of(marked), 40);
  EXPECT_TRUE(warns(marked, "60 s was asked for, and the run has 40 s")) << marked.text;
  EXPECT_FALSE(warns(call("DELETE", cat(kRuns, "/r?gracePeriodSeconds=40")), "grace"));
  EXPECT_TRUE(warns(call("DELETE", cat(kRuns, "?gracePeriodSeconds=60")), "the run has 40 s"));
}

TEST_F(Deletions, RefuseOptionsThatMeanNothing) {
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  for (const char* body : {R"({"propagationPolicy":"Later"})", R"({"propagationPolicy":1})",
                           R"({"gracePeriodSeconds":-1})", R"({"gracePeriodSeconds":"0"})",
                           R"({"gracePeriodSeconds":99999999999})",
                           R"({"preconditions":{"uid":"other"}})", R"({"preconditions":"other"})",
                           R"({"preconditions":{"uid":7}})", R"(["preconditions"])", R"("other")"})
    EXPECT_GE(call("DELETE", cat(kRuns, "/r"), body).status, 400) << body;
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r?propagationPolicy=Later")).status, 400);
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r?gracePeriodSeconds=x")).status, 400);
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r?dryRun=All&gracePeriodSeconds=0")).status, 200);
  EXPECT_EQ(run("r").body.text("status.phase"), "Pending");
  EXPECT_EQ(run("r").body.text("metadata.deletionTimestamp"), "");
  for (const char* policy : {"Orphan", "Foreground", "Background"})
    EXPECT_EQ(call("DELETE", cat(kRuns, "/r?dryRun=All&propagationPolicy=", policy)).status, 200);
}

TEST_F(Deletions, AreHeldByFinalizersUntilTheLastIsRemoved) {
  const std::string uid = placed("r", R"("finalizers":["a.example/x","b.example/y"])");
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r")).body.text("kind"), "Run");
  EXPECT_EQ(end_on_node(uid).status, 200);
  EXPECT_EQ(run("r").body.text("status.phase"), "Canceled");
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r"), R"({"gracePeriodSeconds":0})").body.text("kind"),
            "Run");
  const std::string target = cat(kRuns, "/r");
  const Answer added =
      patch(target, R"({"metadata":{"finalizers":["a.example/x","b.example/y","c.example/z"]}})");
  EXPECT_EQ(added.reason(), "FINALIZER_INVALID") << added.text;
  EXPECT_EQ(patch(target, R"({"metadata":{"finalizers":["b.example/y"]}})").status, 200);
  EXPECT_EQ(run("r").status, 200);
  EXPECT_EQ(patch(target, R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(run("r").reason(), "RUN_NOT_FOUND");
}

TEST_F(Deletions, OfOtherKindsAreHeldToo) {
  const std::string target = cat(kWorkspaces, "/w");
  EXPECT_EQ(patch(target, R"({"metadata":{"finalizers":["keep"]}})").reason(), "FINALIZER_INVALID");
  EXPECT_EQ(patch(target, R"({"metadata":{"finalizers":["a.example/x"]}})").status, 200);
  const Answer marked = call("DELETE", target);
  EXPECT_EQ(marked.body.text("kind"), "Workspace") << marked.text;
  EXPECT_EQ(call("GET", target).body.text("metadata.deletionTimestamp"),
            marked.body.text("metadata.deletionTimestamp"));
  EXPECT_EQ(patch(target, R"({"metadata":{"finalizers":[]}})").status, 200);
  EXPECT_EQ(call("GET", target).status, 404);
  join();
  EXPECT_EQ(patch(cat(kNodes, "/n1"), R"({"metadata":{"finalizers":["a.example/x"]}})").reason(),
            "FINALIZER_INVALID");
}

TEST_F(Deletions, LeaveOfATokenThatIsHeldARecordOnly) {
  placed("r");
  const std::string target = cat(kRuns, "/r");
  const Answer made = call("POST", cat(target, "/tool-tokens"), R"({"operations":["run:read"]})");
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string secret = made.body.text("status.token");
  const std::string token = cat("/apis/paddock.dev/v1alpha1/namespaces/default/tooltokens/",
                                made.body.text("metadata.name"));
  EXPECT_EQ(patch(token, R"({"metadata":{"finalizers":["a.example/x"]}})").status, 200);
  EXPECT_EQ(send(request_of("GET", target, secret)).status, 200);
  const Answer marked = call("DELETE", token);
  EXPECT_EQ(marked.body.text("status.phase"), "Revoked") << marked.text;
  EXPECT_FALSE(marked.body.text("metadata.deletionTimestamp").empty());
  EXPECT_EQ(send(request_of("GET", target, secret)).status, 401);
  EXPECT_EQ(patch(token, R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(call("GET", token).status, 404);
}

TEST_F(Deletions, EndASessionThatIsHeld) {
  contracts::Sandbox session;
  session.metadata.name = "s";
  session.metadata.name_space = "default";
  session.metadata.uid = "uid-1";
  session.metadata.finalizers = {"a.example/x"};
  session.spec = contracts::with_session_defaults({});
  session.status.node_name = "n1";
  ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(session); }).ok());
  const std::string target = "/apis/paddock.dev/v1alpha1/namespaces/default/sandboxes/s";
  const Answer marked = call("DELETE", target);
  EXPECT_EQ(marked.body.text("status.phase"), "Ended") << marked.text;
  EXPECT_EQ(marked.body.text("status.reason"), "DELETED");
  EXPECT_EQ(call("GET", cat(target, "/files")).reason(), "SESSION_ENDED");
  EXPECT_EQ(audited(contracts::audit::kSandboxDestroy), 1u);
  EXPECT_EQ(call("DELETE", target).status, 200);
  EXPECT_EQ(patch(target, R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(call("GET", target).status, 404);
}

TEST_F(Deletions, OfACollectionMarkWhatIsPlaced) {
  const std::string uid = placed("placed");
  ASSERT_EQ(call("POST", kRuns, run_text("waits")).status, 201);
  const Answer answer = call("DELETE", kRuns);
  EXPECT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(answer.body.find("items")->array()->size(), 2u);
  EXPECT_EQ(run("waits").status, 404);
  EXPECT_FALSE(run("placed").body.text("metadata.deletionTimestamp").empty());
  end_on_node(uid);
  EXPECT_EQ(run("placed").status, 404);
}

}  // namespace
}  // namespace paddock::api
