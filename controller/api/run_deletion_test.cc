// A run that has not ended is canceled by its deletion and gone once its node has let go of it;
// finalizers hold objects of every kind.
#include <gmock/gmock.h>

#include "common/contracts/protocol.h"
#include "controller/api/watch_test_support.h"

namespace paddock::api {
namespace {

using testing::HasSubstr;

class Deletions : public WatchTest {
 protected:
  Answer tell(const contracts::SyncRequest& request, const std::string& protocol = "2") {
    Request post = request_of("POST", cat(kNodes, "/n1/synchronize"), credential_);
    if (!protocol.empty()) post.headers["paddock-agent-protocol"] = protocol;
    return send(post, wire::to_json(wire::encode(request)));
  }
  static contracts::SyncRequest request() {
    contracts::SyncRequest out;
    out.session = "session-1";
    out.generation = 1;
    return out;
  }
  void join() {
    const std::string token =
        call("POST", cat(kNodes, "/n1/enroll-token"), "{}").body.text("token");
    const Answer joined = send(request_of("POST", cat(kNodes, "/n1/enroll"), token),
                               R"({"identity":"identity-of-this-agent-32-characters"})");
    credential_ = joined.body.text("credential");
    contracts::SyncRequest hello = request();
    hello.status.emplace().capacity = {4, {1LL << 33}, {1LL << 40}, 4};
    ASSERT_EQ(tell(hello).status, 200);
  }
  // Placed on n1; its uid.
  std::string placed(const std::string& name, const std::string& metadata = {}) {
    if (credential_.empty()) join();
    std::string text = run_text(name);
    if (!metadata.empty()) text.replace(text.find("\"name\""), 0, metadata + ",");
    const Answer made = call("POST", kRuns, text);
    EXPECT_EQ(made.status, 201) << made.text;
    EXPECT_EQ(reconciler_.tick(nodes::now(clock_))->bound, 1);
    return made.body.text("metadata.uid");
  }
  Answer end_on_node(const std::string& uid) {
    contracts::SyncRequest said = request();
    contracts::RunReport& report = said.runs.emplace_back();
    report.run_uid = uid;
    report.attempt = 1;
    report.outcome = contracts::RunOutcome{.phase = contracts::RunPhase::kCanceled};
    return tell(said);
  }
  std::string assigned() { return wire::to_json(*tell(request()).body.find("runs")); }
  Answer run(const std::string& name) { return call("GET", cat(kRuns, "/", name)); }
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
  std::string credential_;
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

// --- what else Kubernetes' tools read of an end ---

std::string condition(const Answer& answer, std::string_view type) {
  for (const wire::Value& each : *answer.body.at("status.conditions")->array())
    if (each.text("type") == type) return cat(each.text("status"), " ", each.text("reason"));
  return "";
}

TEST_F(Deletions, AtEveryEndARunIsFinishedAndItsExitCodeIsAColumn) {
  const std::string uid = placed("r");
  EXPECT_EQ(condition(run("r"), "Finished"), "");
  contracts::SyncRequest said = request();
  contracts::RunReport& report = said.runs.emplace_back();
  report.run_uid = uid;
  report.attempt = 1;
  report.outcome = contracts::RunOutcome{.phase = contracts::RunPhase::kFailed};
  report.outcome->result.emplace().rc = 3;
  ASSERT_EQ(tell(said).status, 200);
  EXPECT_EQ(condition(run("r"), "Finished"), "True Failed");
  ASSERT_EQ(call("POST", kRuns, run_text("c")).status, 201);
  call("POST", cat(kRuns, "/c/cancel"));
  EXPECT_EQ(condition(run("c"), "Finished"), "True Canceled");
  Request table = request_of("GET", kRuns, admin_);
  table.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const Answer rows = send(table);
  EXPECT_EQ(rows.body.find("columnDefinitions")->array()->at(2).text("name"), "RC");
  const auto cell = [&](size_t row) {
    return *rows.body.find("rows")->array()->at(row).find("cells")->array()->at(2).string();
  };
  EXPECT_EQ(cell(0), "<none>");
  EXPECT_EQ(cell(1), "3");
}

TEST_F(Deletions, ARefusalNamesTheObjectThatItIsAbout) {
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  const Answer twice = call("POST", kRuns, run_text("r"));
  EXPECT_EQ(twice.body.text("details.name"), "r") << twice.text;
  EXPECT_EQ(twice.body.text("details.kind"), "runs");
  const Answer pod = call("GET", "/api/v1/namespaces/default/pods/none");
  EXPECT_EQ(pod.body.text("details.name"), "none") << pod.text;
  EXPECT_EQ(pod.body.text("details.kind"), "pods");
  const Answer odd = call("POST", kRuns, R"({"metadata":{"name":7}})");
  EXPECT_EQ(odd.status, 400);
  EXPECT_EQ(call("POST", kRuns, "[]").status, 400);
}

TEST_F(Deletions, ARunThatItsNodeHasNotBegunSaysSo) {
  placed("r");
  const Answer waits = run("r");
  EXPECT_EQ(waits.body.text("status.reason"), "WAITING_FOR_NODE");
  EXPECT_THAT(waits.body.text("status.message"), HasSubstr("n1"));
}

TEST_F(Deletions, NodesSayWhetherTheyAreReadyAsACondition) {
  join();
  const Answer ready = call("GET", cat(kNodes, "/n1"));
  EXPECT_EQ(condition(ready, "Ready"), "True LEASE_HELD");
  EXPECT_EQ(*ready.body.at("status.protocolVersion")->integer(), contracts::kProtocolVersion);
  contracts::SyncRequest full = request();
  contracts::Condition pressure{"DiskPressure", "True", "DISK_FULL", "no room", {}};
  full.status.emplace().conditions = {pressure, {"Ready", "True", "LIE", "", {}}};
  ASSERT_EQ(tell(full).status, 200);
  EXPECT_EQ(condition(call("GET", cat(kNodes, "/n1")), "Ready"), "False DISK_FULL");
}

// --- the protocol of agents ---

TEST_F(Deletions, AgentsOfTheReleaseBeforeAndTheNextAreServed) {
  join();
  EXPECT_EQ(tell(request(), "").status, 200) << "the release before said no number";
  EXPECT_EQ(tell(request(), "1").status, 200);
  const Answer answer = tell(request(), "3");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.response.headers,
              testing::Contains(testing::Pair("paddock-controller-protocol", "2")));
  wire::Value more = wire::encode(request());
  more.set("saysMore", true);
  const auto send_more = [&](const char* protocol) {
    Request post = request_of("POST", cat(kNodes, "/n1/synchronize"), credential_);
    post.headers["paddock-agent-protocol"] = protocol;
    return send(post, wire::to_json(more)).status;
  };
  EXPECT_EQ(send_more("3"), 200);
  EXPECT_EQ(send_more("2"), 400);
}

TEST_F(Deletions, AnAgentTooFarAheadIsRefusedByNameAndItsNodeSaysWhy) {
  join();
  const Answer refused = tell(request(), "4");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.reason(), "PROTOCOL_MISMATCH");
  const Answer node = call("GET", cat(kNodes, "/n1"));
  EXPECT_EQ(condition(node, "Ready"), "False PROTOCOL_MISMATCH");
  EXPECT_EQ(*node.body.at("status.protocolVersion")->integer(), 4);
  clock_.advance(Millis(60'000));
  ASSERT_TRUE(reconciler_.tick(nodes::now(clock_)).ok());
  EXPECT_EQ(condition(call("GET", cat(kNodes, "/n1")), "Ready"), "False PROTOCOL_MISMATCH");
  EXPECT_EQ(tell(request(), "x").reason(), "PROTOCOL_INVALID");
  contracts::SyncRequest upgraded = request();
  upgraded.session = "session-2";
  upgraded.generation = 2;
  upgraded.status.emplace();
  ASSERT_EQ(tell(upgraded).status, 200);
  EXPECT_EQ(condition(call("GET", cat(kNodes, "/n1")), "Ready"), "True LEASE_HELD");
}

}  // namespace
}  // namespace paddock::api
