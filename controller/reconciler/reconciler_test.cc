#include "controller/reconciler/reconciler.h"

#include <gtest/gtest.h>

#include "controller/nodes/registry.h"
#include "controller/nodes/synchronize.h"
#include "controller/store/run_writes.h"

namespace paddock::reconciler {
namespace {

using contracts::RunPhase;

class ReconcilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = std::move(store::Store::open({})).value();
    contracts::EnrollRequest request;
    request.identity = "identity-of-this-agent-32-characters";
    ASSERT_TRUE(nodes::enroll(*store_, "n1", request, clock_.wall(), random_).ok());
  }
  void heartbeat() {
    contracts::SyncRequest request;
    request.session = "session-1";
    request.status.emplace().capacity.cpu = 4;
    ASSERT_TRUE(nodes::synchronize(*store_, leases_, "n1", request, nodes::now(clock_)).ok());
  }
  void submit(const std::string& name) {
    contracts::Run run;
    run.metadata.name = run.metadata.uid = name;
    run.metadata.name_space = "default";
    run.spec.command.argv = {"true"};
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) {
                      return store::create_run(txn, run, runs::admit(run, clock_.wall()));
                    })
                    .ok());
  }
  TickReport step() { return tick(*store_, leases_, nodes::now(clock_)).value(); }
  contracts::Run run(const std::string& uid) {
    contracts::Run found;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(found, txn.run_by_uid(uid));
                      return {};
                    })
                    .ok());
    return found;
  }
  bool ready() {
    bool is_ready = false;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto node, txn.get<contracts::Node>({"", "n1"}));
                      is_ready = node.status.ready;
                      return {};
                    })
                    .ok());
    return is_ready;
  }

  ManualClock clock_;
  SeededRandom random_{1};
  nodes::LeaseTable leases_{clock_.mono()};
  std::unique_ptr<store::Store> store_;
};

TEST_F(ReconcilerTest, PlacesAWaitingRunOnceItsNodeCalls) {
  submit("a");
  EXPECT_EQ(step().waiting, 1);
  const contracts::Run waiting = run("a");
  EXPECT_EQ(waiting.status.reason, "UNSCHEDULABLE");
  EXPECT_NE(waiting.status.message.find("0/1 nodes fit: 1"), std::string::npos);
  EXPECT_TRUE(waiting.status.message.ends_with("; position 1 in the queue"));
  step();
  EXPECT_EQ(run("a").metadata.resource_version, waiting.metadata.resource_version)
      << "the same reason is not written again";
  heartbeat();
  EXPECT_EQ(step().bound, 1);
  EXPECT_EQ(run("a").status.node_name, "n1");
  EXPECT_EQ(run("a").status.attempt, 1);
}

TEST_F(ReconcilerTest, ASilentNodeGetsNothingNewAndLaterItsRunsAreGivenUp) {
  heartbeat();
  submit("a");
  EXPECT_EQ(step().bound, 1);
  clock_.advance(nodes::kLease);
  submit("b");
  const TickReport silent = step();
  EXPECT_EQ(silent.lost, 0);
  EXPECT_EQ(silent.bound, 0);
  EXPECT_FALSE(ready());
  EXPECT_EQ(run("a").status.phase, RunPhase::kScheduled);

  clock_.advance(nodes::kLostAfter - nodes::kLease);
  EXPECT_EQ(step().lost, 1);
  EXPECT_EQ(run("a").status.reason, "NODE_LOST");
  EXPECT_EQ(run("a").status.phase, RunPhase::kFailed);
  EXPECT_FALSE(run("a").status.result);

  heartbeat();
  EXPECT_TRUE(ready());
  EXPECT_EQ(step().bound, 1) << "b waits no longer";
}

TEST_F(ReconcilerTest, AnAgentThatComesBackInTimeLosesNothing) {
  heartbeat();
  submit("a");
  step();
  clock_.advance(nodes::kLostAfter - Millis(1));
  EXPECT_EQ(step().lost, 0);
  heartbeat();
  clock_.advance(nodes::kLease - Millis(1));
  EXPECT_EQ(step().lost, 0);
  EXPECT_EQ(run("a").status.phase, RunPhase::kScheduled);
}

TEST_F(ReconcilerTest, AControllerThatWasAwayLosesNoRuns) {
  heartbeat();
  submit("a");
  step();
  clock_.advance(Millis(24 * 3'600'000));
  nodes::LeaseTable fresh(clock_.mono());
  EXPECT_EQ(tick(*store_, fresh, nodes::now(clock_))->lost, 0);
}

TEST_F(ReconcilerTest, RunsOfARemovedNodeEnd) {
  heartbeat();
  submit("a");
  step();
  ASSERT_TRUE(nodes::remove(*store_, leases_, "n1").ok());
  EXPECT_EQ(step().lost, 1);
  EXPECT_NE(run("a").status.message.find("was removed"), std::string::npos);
}

TEST_F(ReconcilerTest, SaysWhenItMustBeAskedAgain) {
  heartbeat();
  clock_.advance(Millis(5000));
  EXPECT_EQ(step().next, nodes::kLease - Millis(5000));
  clock_.advance(Millis(50'000));
  EXPECT_EQ(step().next, Millis(5000));
}

}  // namespace
}  // namespace paddock::reconciler
