// Cordon, drain, taints, plan and what /metrics says of them, through the API.
#include <gmock/gmock.h>

#include "controller/api/node_test_support.h"
#include "controller/events/waiter.h"
#include "controller/nodes/synchronize.h"

namespace paddock::api {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kSessions = "/apis/paddock.dev/v1alpha1/namespaces/default/sandboxes";

class NodeOperations : public NodeApiTest {
 protected:
  void SetUp() override {
    credential_ = enroll();
    contracts::SyncRequest hello;
    hello.process = "process-1";
    hello.status.emplace().capacity.cpu = 4;
    ASSERT_TRUE(nodes::synchronize(*store_, leases_, "n1", hello, nodes::now(clock_)).ok());
  }
  Answer post(const std::string& what, const std::string& body = "{}") {
    return call("POST", cat(kNodes, "/n1/", what), body);
  }
  void add_session(const std::string& name) {
    contracts::Sandbox session;
    session.metadata.name = name;
    session.metadata.name_space = "default";
    session.metadata.uid = cat("uid-", name);
    session.spec = contracts::with_session_defaults({});
    session.status.node_name = "n1";
    ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(session); }).ok());
  }
  contracts::Condition ready_of(const std::string& session) {
    const Answer answer = call("GET", cat(kSessions, "/", session));
    EXPECT_EQ(answer.status, 200) << answer.text;
    const auto found = wire::decode<contracts::Sandbox>(answer.body);
    return found.ok() && !found->status.conditions.empty() ? found->status.conditions[0]
                                                           : contracts::Condition{};
  }
  Answer plan(const std::string& spec = {}) {
    return call("POST", "/apis/paddock.dev/v1alpha1/namespaces/default/plan",
                run_text("planned", spec));
  }
  void set_disk_full(bool full) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(contracts::Node node, txn.get<contracts::Node>({"", "n1"}));
                      node.status.conditions.resize(1);
                      node.status.conditions[0].type = contracts::kDiskPressure;
                      node.status.conditions[0].status = full ? "True" : "False";
                      return txn.update(node);
                    })
                    .ok());
  }
  // Whether a lane that asks now would be given any.
  std::string calls_of_lane() {
    const Answer answer = send(request_of("POST", cat(kNodes, "/n1/calls"), credential_),
                               R"({"session":"process-1","waitMs":0})");
    if (answer.status != 200) return answer.text;
    const auto takes = calls_->known_eligible("n1");
    return !takes ? "nobody looked" : *takes ? "taken" : "none";
  }
  // What n1's agent is told later.
  std::shared_ptr<HeldAnswer> held_answer(const std::string& what, const std::string& bytes) {
    Request request = request_of("POST", cat(kNodes, "/n1/", what), credential_);
    FakeBody body(bytes);
    request.body = &body;
    return handler_(request).later;
  }

  std::string credential_;
};

TEST_F(NodeOperations, CordonAndUncordonAreIdempotentAndCounted) {
  for (int i = 0; i < 2; ++i) {
    const Answer answer = post("cordon");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(*answer.body.at("spec.unschedulable"), wire::Value(true));
    EXPECT_EQ(*answer.body.at("metadata.generation"), wire::Value(2));
  }
  EXPECT_THAT(call("GET", "/metrics").text, HasSubstr("paddock_nodes{state=\"cordoned\"} 1"));
  EXPECT_EQ(*post("uncordon").body.at("spec.unschedulable"), wire::Value(false));
  EXPECT_EQ(call("POST", cat(kNodes, "/none/cordon"), "{}").status, 404);
  EXPECT_EQ(send(request_of("POST", cat(kNodes, "/n1/cordon"), enroll_), "{}").status, 403);
}

TEST_F(NodeOperations, DevicesAreCountedByTheirState) {
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(contracts::Node node, txn.get<contracts::Node>({"", "n1"}));
                    node.status.devices = {{"nvidia", "0", ""}, {"nvidia", "1", "", {}, "gone"}};
                    return txn.update(node);
                  })
                  .ok());
  const std::string text = call("GET", "/metrics").text;
  EXPECT_THAT(text, HasSubstr("paddock_devices{state=\"well\"} 1"));
  EXPECT_THAT(text, HasSubstr("paddock_devices{state=\"faulty\"} 1"));
}

TEST_F(NodeOperations, NodesWithAFullDiskAreCounted) {
  set_disk_full(true);
  EXPECT_THAT(call("GET", "/metrics").text, HasSubstr("paddock_nodes{state=\"disk_full\"} 1"));
}

TEST_F(NodeOperations, ANodeWithAFullDiskIsGivenNoCallsUntilThereIsRoom) {
  EXPECT_EQ(calls_of_lane(), "taken");
  set_disk_full(true);
  EXPECT_EQ(calls_of_lane(), "none");
  set_disk_full(false);
  EXPECT_EQ(calls_of_lane(), "taken");
}

// wait() is asked on threads that must not wait for the store.
TEST_F(NodeOperations, AHeldSyncReadsTheStoreOnlyWhereItIsSettled) {
  contracts::SyncRequest asks;
  asks.process = "process-1";
  asks.wait_ms = 5'000;
  asks.known_version = nodes::desired_version(*store_, "n1").value();
  const auto held = held_answer("synchronize", wire::encode_json(asks));
  ASSERT_TRUE(held);
  const auto waker = std::make_shared<events::WakeupEvent>();
  EXPECT_TRUE(held->wait(waker));
  notifier_.notify({store::node_topic("n1")});
  EXPECT_FALSE(held->wait(waker));
  EXPECT_FALSE(held->settle()) << "it was for nothing that this node is to do";
  EXPECT_TRUE(held->wait(waker));
  place("r");
  EXPECT_FALSE(held->wait(waker));
  EXPECT_TRUE(held->settle());
  const auto made = held->make();
  ASSERT_TRUE(made.ok());
  EXPECT_THAT(made->body, HasSubstr("uid-r"));
}

TEST_F(NodeOperations, AHeldLaneReadsTheStoreOnlyWhereItIsSettled) {
  const auto held = held_answer("calls", R"({"session":"process-1","waitMs":5000})");
  ASSERT_TRUE(held);
  const auto waker = std::make_shared<events::WakeupEvent>();
  EXPECT_FALSE(held->wait(waker));
  EXPECT_FALSE(calls_->known_eligible("n1"));
  EXPECT_FALSE(held->settle());
  EXPECT_EQ(calls_->known_eligible("n1"), true);
  EXPECT_TRUE(held->wait(waker));
  set_disk_full(true);
  EXPECT_FALSE(held->wait(waker));
  EXPECT_FALSE(held->settle());
  EXPECT_TRUE(held->wait(waker));
  EXPECT_EQ(calls_->known_eligible("n1"), false);
}

TEST_F(NodeOperations, ADrainReportsWhatItWaitsFor) {
  make_workspace();
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  ASSERT_EQ(reconciler_.tick(nodes::now(clock_))->bound, 1);
  const Answer answer = post("drain", R"({"grace":"30s"})");
  ASSERT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(*answer.body.find("drained"), wire::Value(false));
  EXPECT_EQ(answer.body.find("waitingFor")->array()->at(0).text("then"), "ended");
  EXPECT_EQ(post("drain", R"({"grace":"-1s"})").status, 400);
  EXPECT_EQ(post("drain", R"({"grace":"8d"})").status, 400);
  EXPECT_EQ(call("GET", cat(kNodes, "/n1/drain?waitMs=-1")).status, 400);
}

TEST_F(NodeOperations, ADrainWaitsForSessionsAndEndsThemWithItsGrace) {
  add_session("s");
  const Answer answer = post("drain", R"({"grace":"30s"})");
  EXPECT_EQ(*answer.body.find("drained"), wire::Value(false));
  ASSERT_EQ(answer.body.find("sessions")->array()->size(), 1u);
  EXPECT_EQ(answer.body.find("sessions")->array()->at(0).text("name"), "s");
  const auto tick = reconciler_.tick(nodes::now(clock_));
  ASSERT_TRUE(tick.ok());
  EXPECT_LE(tick->next, Millis(30'000));
  EXPECT_EQ(*call("GET", cat(kNodes, "/n1/drain")).body.find("drained"), wire::Value(false));
  clock_.advance(Millis(30'000));
  ASSERT_TRUE(reconciler_.tick(nodes::now(clock_)).ok());
  EXPECT_EQ(*call("GET", cat(kNodes, "/n1/drain")).body.find("drained"), wire::Value(true));
  const Answer ended = call("GET", "/apis/paddock.dev/v1alpha1/namespaces/default/sandboxes/s");
  EXPECT_EQ(ended.body.text("status.phase"), "Ended");
  EXPECT_EQ(ended.body.text("status.reason"), "NODE_DRAINED");
  EXPECT_THAT(call("GET", "/audit?session=uid-s").text, HasSubstr("NODE_DRAINED"));
}

TEST_F(NodeOperations, ADrainWithoutAnyGraceEndsSessionsNow) {
  for (const std::string grace : {"0s", "0"}) {
    add_session("s" + grace);
    EXPECT_EQ(post("drain", cat(R"({"grace":")", grace, "\"}")).status, 200);
    ASSERT_TRUE(reconciler_.tick(nodes::now(clock_)).ok());
    EXPECT_EQ(*call("GET", cat(kNodes, "/n1/drain")).body.find("drained"), wire::Value(true));
  }
}

TEST_F(NodeOperations, APatchThatUncordonsEndsADrain) {
  ASSERT_EQ(post("drain", R"({"grace":"30s"})").status, 200);
  const auto patch = [&](const std::string& body) {
    Request request = request_of("PATCH", cat(kNodes, "/n1"), admin_);
    request.headers["content-type"] = "application/merge-patch+json";
    return send(request, body);
  };
  const Answer open = patch(R"({"spec":{"unschedulable":false}})");
  EXPECT_EQ(open.status, 200) << open.text;
  EXPECT_EQ(open.body.at("spec.drain"), nullptr);
  const Answer torn = patch(
      R"({"spec":{"drain":{"requestedAt":"2026-01-01T00:00:00Z","evictAt":"2026-01-01T00:00:00Z"}}})");
  EXPECT_GE(torn.status, 400) << torn.text;
  EXPECT_EQ(patch(R"({"spec":{"taints":[{"key":"k","effect":"Nope"}]}})").status, 422);
  EXPECT_EQ(patch(R"({"spec":{"unschedulable":true}})").status, 200);
}

TEST_F(NodeOperations, TaintsAreReplacedAsAWholeAndChecked) {
  const std::string target = cat(kNodes, "/n1/taints");
  const Answer set = call("PUT", target, R"({"taints":[{"key":"team","value":"a"}]})");
  ASSERT_EQ(set.status, 200) << set.text;
  EXPECT_THAT(set.text, HasSubstr("NoSchedule"));
  EXPECT_EQ(call("PUT", target, R"({"taints":[{"key":"t","effect":"NoExecute"}]})").status, 400);
  EXPECT_EQ(call("PUT", target, R"({"taints":[]})").status, 200);
}

TEST_F(NodeOperations, ASessionThereIsNotReadyWhileTheNodeIsAwayOrHasAFault) {
  add_session("s");
  const auto change = [&](const std::function<void(contracts::NodeStatus&)>& by) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(contracts::Node node, txn.get<contracts::Node>({"", "n1"}));
                      by(node.status);
                      return txn.update(node);
                    })
                    .ok());
  };
  EXPECT_EQ(ready_of("s").reason, "PENDING");
  change([](contracts::NodeStatus& status) {
    status.conditions = {{contracts::kHostFault, "True", "NODE_DISK_FAILS", "it fails", {}}};
  });
  EXPECT_EQ(ready_of("s").status, "False");
  EXPECT_EQ(ready_of("s").reason, "NODE_DISK_FAILS");
  EXPECT_EQ(ready_of("s").message, "its node n1 has a fault: it fails");
  change([](contracts::NodeStatus& status) {
    status.conditions = {{contracts::kDiskPressure, "True", "NODE_DISK_FULL", "full", {}}};
  });
  EXPECT_EQ(ready_of("s").reason, "PENDING") << "its commands can still be run";
  change([](contracts::NodeStatus& status) {
    status.conditions.push_back({contracts::kHostFault, "True", "NODE_DISK_FAILS", "it fails", {}});
  });
  EXPECT_EQ(ready_of("s").reason, "NODE_DISK_FAILS") << "whatever else there is";
  change([](contracts::NodeStatus& status) {
    status.ready = false;
    status.reason = contracts::kNodeLost;
  });
  EXPECT_EQ(ready_of("s").reason, "NODE_LOST");
  EXPECT_THAT(ready_of("s").message, HasSubstr("n1 is away"));
}

// A list and a watch read the sessions alone.
TEST_F(NodeOperations, AListOfSessionsSaysOfTheirNodesWhatEachSays) {
  add_session("s");
  const auto change = [&](bool ready) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(contracts::Node node, txn.get<contracts::Node>({"", "n1"}));
                      node.status.ready = ready;
                      node.status.reason = ready ? "" : "NODE_LOST";
                      return txn.update(node);
                    })
                    .ok());
    ASSERT_TRUE(reconciler_.tick(nodes::now(clock_)).ok());
  };
  const auto listed = [&](const std::string& group) {
    const Answer answer = call("GET", cat("/apis/", group, "/namespaces/default/sandboxes"));
    EXPECT_EQ(answer.status, 200) << answer.text;
    return *answer.body.find("items")->array()->at(0).at("status.conditions");
  };
  const auto same_as_alone = [&](const std::string& group) {
    const Answer alone = call("GET", cat("/apis/", group, "/namespaces/default/sandboxes/s"));
    return *alone.body.at("status.conditions");
  };
  change(false);
  for (const char* group : {"paddock.dev/v1alpha1", "agents.x-k8s.io/v1beta1"}) {
    const wire::Value conditions = listed(group);
    EXPECT_EQ(conditions.array()->at(0).text("status"), "False");
    EXPECT_THAT(conditions.array()->at(0).text("message"), HasSubstr("node n1 is away"));
    EXPECT_EQ(conditions.array()->at(0).text("message"),
              same_as_alone(group).array()->at(0).text("message"));
  }
  EXPECT_EQ(listed("paddock.dev/v1alpha1").array()->at(0).text("reason"), "NODE_LOST");
  change(true);
  EXPECT_EQ(listed("paddock.dev/v1alpha1").array()->at(0).text("reason"), "PENDING");
  EXPECT_EQ(listed("paddock.dev/v1alpha1").array()->size(), 1u);
}

TEST_F(NodeOperations, ASessionThatIsResumedIsReadySinceThen) {
  add_session("s");
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(auto session, txn.get<contracts::Sandbox>({"default", "s"}));
                    session.metadata.creation_timestamp = wire::Timestamp{clock_.wall()};
                    session.status.phase = contracts::SandboxPhase::kReady;
                    session.status.ready_at = wire::Timestamp{clock_.wall()};
                    return txn.update(session);
                  })
                  .ok());
  const auto suspend = [&](bool wanted) {
    Request request = request_of("PATCH", cat(kSessions, "/s"), admin_);
    request.headers["content-type"] = "application/merge-patch+json";
    const Answer answer =
        send(std::move(request), cat(R"({"spec":{"suspended":)", wanted ? "true" : "false", "}}"));
    EXPECT_EQ(answer.status, 200) << answer.text;
    clock_.advance(Millis(60'000));
  };
  const auto made = ready_of("s").last_transition_time;
  ASSERT_TRUE(made);
  clock_.advance(Millis(60'000));
  suspend(false);
  EXPECT_EQ(ready_of("s").last_transition_time, made) << "it was not suspended";
  suspend(true);
  const WallTime resumed = clock_.wall();
  suspend(false);
  EXPECT_EQ(ready_of("s").status, "True");
  EXPECT_EQ(ready_of("s").last_transition_time, wire::Timestamp{resumed});
}

TEST_F(NodeOperations, APlanSaysWhereARunWouldGoAndCreatesNothing) {
  make_workspace();
  const Answer here = plan();
  ASSERT_EQ(here.status, 200) << here.text;
  EXPECT_EQ(here.body.text("node"), "n1");
  EXPECT_EQ(call("GET", kRuns).body.find("items")->array()->size(), 0u);
  const Answer nowhere = plan(R"(,"resources":{"cpu":64})");
  EXPECT_EQ(*nowhere.body.find("placed"), wire::Value(false));
  EXPECT_THAT(nowhere.body.text("message"),
              AllOf(HasSubstr("0/1 nodes"), HasSubstr("64 cores"), HasSubstr("has 4")));
}

TEST_F(NodeOperations, AnIdempotencyKeyCanBeUsedAgainWhenItsRunIsGone) {
  make_workspace();
  const auto create = [&] {
    Request request = request_of("POST", kRuns, admin_);
    request.headers["idempotency-key"] = "once";
    return send(std::move(request), run_text("r"));
  };
  ASSERT_EQ(create().status, 201);
  EXPECT_EQ(create().status, 200);
  ASSERT_EQ(call("POST", cat(kRuns, "/r/cancel"), "{}").status, 200);
  ASSERT_EQ(call("DELETE", cat(kRuns, "/r")).status, 200);
  EXPECT_EQ(create().status, 201);
}

}  // namespace
}  // namespace paddock::api
