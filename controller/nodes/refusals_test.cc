// Runs that a node could not begin for a cause that another node may not have.
#include <functional>

#include "controller/nodes/nodes_test_support.h"
#include "controller/runs/kept_off.h"

namespace paddock::nodes {
namespace {

using contracts::RunPhase;

class Refusals : public NodesTest {
 protected:
  void SetUp() override {
    NodesTest::SetUp();
    ASSERT_TRUE(enroll_as("identity-of-another-agent-32-chars!!", "n2").ok());
    for (const char* name : {"n1", "n2"}) ASSERT_TRUE(heard_from(name).ok());
  }
  Result<contracts::SyncAnswer> heard_from(const std::string& name,
                                           std::vector<contracts::RunReport> reports = {}) {
    contracts::SyncRequest request;
    request.process = "process-of-" + name;
    request.generation = 1;
    request.status.emplace().capacity = {4, {8LL << 30}, {1LL << 40}, 4};
    request.runs = std::move(reports);
    return synchronize(*store_, leases_, name, request, now(clock_));
  }
  // What becomes of a run that this node could not begin.
  contracts::Run after(const std::string& node, const contracts::Run& placed,
                       const std::string& reason) {
    contracts::RunReport said;
    said.run_uid = placed.metadata.uid;
    said.attempt = placed.status.attempt;
    said.phase = RunPhase::kPreparing;
    said.outcome.emplace().reason = reason;
    said.outcome->message = "why";
    if (reason == "SYSTEM_ERROR") said.outcome->refused = true;
    EXPECT_TRUE(heard_from(node, {said}).ok());
    return run(placed.metadata.uid);
  }
  contracts::Run place_again(contracts::Run run, const std::string& node) {
    EXPECT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(runs::Events events, runs::bind(run, node, clock_.wall()));
                      return store::save_run(txn, run, std::move(events));
                    })
                    .ok());
    return run;
  }
  void change(const std::string& name, const std::function<void(contracts::Node&)>& how) {
    EXPECT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(auto found, txn.get<contracts::Node>({"", name}));
                      how(found);
                      return txn.update(found);
                    })
                    .ok());
  }
};

TEST_F(Refusals, TwoNodesAreAskedForPackagesAndTheSecondOnesAnswerIsTheEnd) {
  const contracts::Run first = after("n1", place("a"), "ENVIRONMENT_UNAVAILABLE");
  EXPECT_EQ(first.status.phase, RunPhase::kPending);
  EXPECT_EQ(first.status.refusals, 1) << "spec.retry does not count it";
  EXPECT_EQ(runs::kept_off(first), "n1");
  EXPECT_FALSE(node().status.cool_down) << "runs without packages begin there";
  const contracts::Run last = after("n2", place_again(first, "n2"), "ENVIRONMENT_UNAVAILABLE");
  EXPECT_EQ(last.status.phase, RunPhase::kFailed);
  EXPECT_EQ(last.status.reason, "ENVIRONMENT_UNAVAILABLE");
  EXPECT_EQ(last.status.message, "why");
}

TEST_F(Refusals, ARunThatCameBackToTheOnlyNodeLeftWaitsOnceMoreAndEndsWhereAnotherOneRefusesItToo) {
  const contracts::Run first = after("n1", place("a"), "ENVIRONMENT_UNAVAILABLE");
  change("n2", [](auto& other) { other.status.ready = false; });
  const contracts::Run again = after("n1", place_again(first, "n1"), "ENVIRONMENT_UNAVAILABLE");
  EXPECT_EQ(again.status.phase, RunPhase::kPending);
  EXPECT_EQ(again.status.refusals, 2);
  EXPECT_EQ(runs::kept_off(again), "n1");
  const contracts::Run last = after("n2", place_again(again, "n2"), "ENVIRONMENT_UNAVAILABLE");
  EXPECT_EQ(last.status.phase, RunPhase::kFailed);
}

TEST_F(Refusals, WhereNoOtherNodeAdmitsTheRunItEndsAtOnce) {
  const auto ends = [&](const std::string& name,
                        const std::function<void(contracts::Node&)>& without) {
    change("n2", without);
    const contracts::Run ended = after("n1", place(name), "ENVIRONMENT_UNAVAILABLE");
    EXPECT_EQ(ended.status.phase, RunPhase::kFailed) << name;
    EXPECT_EQ(ended.status.refusals, 0) << name;
    EXPECT_EQ(runs::kept_off(ended), "") << name;
  };
  ends("tainted", [](auto& other) { other.spec.taints = {{"gpu", "only", "NoSchedule"}}; });
  ends("cordoned", [](auto& other) {
    other.spec.taints.clear();
    other.spec.unschedulable = true;
  });
  ends("silent", [](auto& other) {
    other.spec.unschedulable = false;
    other.status.ready = false;
  });
}

TEST_F(Refusals, WhatTheSystemRefusedMayBeTheRunsFaultOrTheNodes) {
  const contracts::Run moved = after("n1", place("a"), "SYSTEM_ERROR");
  EXPECT_EQ(moved.status.phase, RunPhase::kPending);
  EXPECT_EQ(runs::kept_off(moved), "n1");
  EXPECT_EQ(node().status.cool_down->failures, 1);
  EXPECT_FALSE(node().status.cool_down->until);
  EXPECT_EQ(after("n2", place_again(moved, "n2"), "SYSTEM_ERROR").status.phase, RunPhase::kFailed);
  EXPECT_EQ(after("n1", place("b"), "SYSTEM_ERROR").status.phase, RunPhase::kPending);
  EXPECT_TRUE(node().status.cool_down->until) << "the second one in a row";
}

TEST_F(Refusals, ARunThatHasBegunIsNotBegunElsewhere) {
  place("a");
  ASSERT_TRUE(heard_from("n1", {report("uid-a", 1, 1)}).ok());
  EXPECT_EQ(after("n1", run("uid-a"), "SYSTEM_ERROR").status.phase, RunPhase::kFailed);
}

TEST_F(Refusals, AMemberOfAGangIsNotMovedAlone) {
  contracts::Run member = place("a");
  member.status.element.emplace().members = 2;
  ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.update(member); }).ok());
  EXPECT_EQ(runs::kept_off(after("n1", member, "ENVIRONMENT_UNAVAILABLE")), "");
}

}  // namespace
}  // namespace paddock::nodes
