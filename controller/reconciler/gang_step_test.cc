// Gangs in the store: made, placed, ended and tried again as one.
#include <algorithm>
#include <set>

#include "controller/reconciler/array_step.h"
#include "controller/reconciler/reconciler_test_support.h"
#include "controller/runs/gang_members.h"

namespace paddock::reconciler {
namespace {

using contracts::RunPhase;

constexpr const char* kGang = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b";

class GangStepTest : public ReconcilerTest {
 protected:
  void create(
      int64_t nodes, const std::function<void(contracts::Run&)>& change = [](contracts::Run&) {}) {
    contracts::Run run;
    run.metadata.name = "gang";
    run.metadata.uid = kGang;
    run.metadata.name_space = "default";
    run.spec.command.argv = {"true"};
    run.spec.nodes = nodes;
    change(run);
    store_new(std::move(run));
  }
  static void with_retry(contracts::Run& run) {
    run.spec.retry = contracts::RetryPolicy{.max_attempts = 2};
  }
  void two_nodes() {
    heartbeat();
    heartbeat("n2");
  }
  contracts::Run gang() { return find("gang").value_or(contracts::Run()); }
  contracts::Run member(int64_t index) {
    return find(contracts::element_name("gang", index)).value_or(contracts::Run());
  }
  std::set<RunPhase> phases(int64_t nodes) {
    std::set<RunPhase> out;
    for (int64_t i = 0; i < nodes; ++i) out.insert(member(i).status.phase);
    return out;
  }
  void change(int64_t index, const std::function<Result<runs::Events>(contracts::Run&)>& fact) {
    const std::string uid = member(index).metadata.uid;
    const Status done = store_->write([&](store::WriteTxn& txn) -> Status {
      ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid(uid));
      ASSIGN_OR_RETURN(runs::Events events, fact(run));
      return store::save_run(txn, run, std::move(events));
    });
    ASSERT_TRUE(done.ok()) << done.error().describe();
  }
  void begin(int64_t index) {
    change(index, [&](contracts::Run& run) {
      contracts::RunReport report;
      report.run_uid = run.metadata.uid;
      report.attempt = run.status.attempt;
      report.phase = RunPhase::kRunning;
      return runs::observe(run, report, clock_.wall());
    });
  }
  void end(int64_t index, RunPhase phase, int64_t rc = 0) {
    change(index, [&](contracts::Run& run) {
      contracts::RunOutcome outcome;
      outcome.phase = phase;
      outcome.result.emplace().rc = rc;
      return runs::finish(run, run.status.attempt, outcome, clock_.wall());
    });
  }
  void refuse(int64_t index) {
    change(index, [&](contracts::Run& run) {
      contracts::RunOutcome outcome{.phase = RunPhase::kFailed, .reason = contracts::kNodeDiskFull};
      outcome.refused = true;
      return runs::finish(run, run.status.attempt, outcome, clock_.wall());
    });
  }
  void lose(int64_t index) {
    change(index, [&](contracts::Run& run) -> Result<runs::Events> {
      return runs::lose_node(run, "its node is gone", clock_.wall());
    });
  }
  void controller_dies() { reconciler_.emplace(*store_, leases_, settings_); }
};

TEST_F(GangStepTest, ItsMembersAreMadeAllAtOnceAndPlacedOnceEachHasANode) {
  heartbeat();
  create(2);
  step();
  EXPECT_EQ(phases(2), std::set{RunPhase::kPending});
  EXPECT_EQ(gang().status.phase, RunPhase::kPending);
  step();
  EXPECT_NE(gang().status.message.find("1/1 nodes fit, and its 2 members"), std::string::npos)
      << gang().status.message;
  EXPECT_NE(member(1).status.message.find("gang-0"), std::string::npos);
  heartbeat("n2");
  EXPECT_EQ(step().bound, 2);
  EXPECT_NE(member(0).status.node_name, member(1).status.node_name);
  EXPECT_EQ(gang().status.phase, RunPhase::kRunning);
  EXPECT_EQ(member(1).status.environment.at("PADDOCK_RANK"), "1");
  EXPECT_EQ(member(1).status.environment.at("PADDOCK_SIZE"), "2");
  EXPECT_FALSE(member(1).status.environment.contains("PADDOCK_ARRAY_INDEX"));
  EXPECT_EQ(member(1).status.element->members, 2);
  EXPECT_FALSE(member(1).spec.nodes);
}

TEST_F(GangStepTest, SucceedsOnceEachMemberHas) {
  two_nodes();
  create(2);
  step();
  end(0, RunPhase::kSucceeded);
  step();
  EXPECT_EQ(gang().status.phase, RunPhase::kRunning);
  EXPECT_EQ(member(1).status.phase, RunPhase::kScheduled) << "one that succeeds ends no other";
  end(1, RunPhase::kSucceeded);
  step();
  EXPECT_EQ(gang().status.phase, RunPhase::kSucceeded);
  EXPECT_EQ(gang().status.array->succeeded, 2);
}

TEST_F(GangStepTest, AMemberThatFailsEndsTheOthersAndTheGangFailsAsItDid) {
  two_nodes();
  create(2, with_retry);
  step();
  begin(0);
  begin(1);
  end(1, RunPhase::kFailed, 7);
  controller_dies();
  step();
  ASSERT_TRUE(member(0).status.eviction);
  EXPECT_EQ(member(0).status.eviction->reason, "GANG_ENDED");
  EXPECT_NE(member(0).status.message.find("gang-1"), std::string::npos);
  end(0, RunPhase::kCanceled);
  step();
  EXPECT_EQ(member(0).status.phase, RunPhase::kCanceled) << "spec.retry does not bring it back";
  EXPECT_EQ(member(0).status.reason, "GANG_ENDED");
  EXPECT_EQ(gang().status.phase, RunPhase::kFailed);
  EXPECT_EQ(gang().status.reason, "GANG_FAILED");
  EXPECT_EQ(gang().status.array->first_failure->rc, 7);
}

TEST_F(GangStepTest, ACanceledMemberEndsTheOthersAlsoWhereNoneIsPlaced) {
  create(3);
  step();
  cancel(member(1).metadata.uid);
  step();
  step();
  EXPECT_EQ(phases(3), std::set{RunPhase::kCanceled});
  EXPECT_EQ(member(2).status.reason, "GANG_ENDED");
  EXPECT_EQ(member(2).status.message, "member gang-1 was canceled, and a gang ends as one");
  EXPECT_EQ(gang().status.phase, RunPhase::kCanceled);
}

TEST_F(GangStepTest, IsTriedAgainAsOneWhenAMemberLosesItsNode) {
  two_nodes();
  create(2, with_retry);
  step();
  begin(0);
  lose(1);
  step();
  EXPECT_EQ(member(1).status.phase, RunPhase::kPending);
  EXPECT_EQ(member(0).status.eviction->reason, "GANG_RESTARTED");
  EXPECT_EQ(gang().status.phase, RunPhase::kRunning);
  clock_.advance(Millis(20'000));
  two_nodes();
  EXPECT_EQ(step().bound, 0) << "no member is placed before the others wait too";
  controller_dies();
  end(0, RunPhase::kSucceeded);  // it came too late for that
  EXPECT_EQ(step().bound, 2);
  EXPECT_EQ(gang().status.phase, RunPhase::kRunning);
  EXPECT_EQ(gang().status.attempt, 2);
  for (const int64_t each : {0, 1}) EXPECT_EQ(member(each).status.attempt, 2);
  begin(0);
  lose(1);
  step();
  EXPECT_EQ(member(1).status.phase, RunPhase::kFailed) << "there is no third attempt";
  EXPECT_EQ(member(0).status.eviction->reason, "GANG_ENDED");
}

TEST_F(GangStepTest, WaitsAgainBeforeItsMembersAreDue) {
  two_nodes();
  create(2, with_retry);
  step();
  begin(0);
  lose(1);
  step();
  end(0, RunPhase::kCanceled);
  EXPECT_EQ(step().bound, 0);
  EXPECT_EQ(gang().status.phase, RunPhase::kPending);
  EXPECT_EQ(gang().status.reason, "RETRY");
  EXPECT_EQ(member(0).status.retry_at, member(1).status.retry_at);
}

TEST_F(GangStepTest, OneThatANodeCouldNotBeginIsPlacedAgainWithTheOthersAndNothingIsCounted) {
  two_nodes();
  create(2);
  step();
  refuse(1);
  step();
  EXPECT_EQ(member(0).status.eviction->reason, "GANG_RESTARTED");
  end(0, RunPhase::kCanceled);
  heartbeat("n3");
  heartbeat("n4");
  step();
  step();
  for (const int64_t each : {0, 1}) {
    EXPECT_EQ(member(each).status.attempt, 2);
    EXPECT_EQ(member(each).status.refusals, 1);
  }
  EXPECT_EQ(gang().status.phase, RunPhase::kRunning);
}

// One is drained, which counts, while another one is refused by its node, which does not.
TEST_F(GangStepTest, WhatIsCountedForOneIsCountedForAllOfThem) {
  for (const char* name : {"n1", "n2", "n3"}) heartbeat(name);
  create(3, with_retry);
  step();
  change(1, [&](contracts::Run& run) -> Result<runs::Events> {
    return runs::evict(run, {"NODE_DRAINED", "its node is drained", {}}, clock_.wall());
  });
  refuse(0);
  step();
  EXPECT_EQ(member(2).status.eviction->reason, "GANG_RESTARTED");
  EXPECT_EQ(member(1).status.eviction->reason, "NODE_DRAINED");
  end(2, RunPhase::kCanceled);
  end(1, RunPhase::kCanceled);
  EXPECT_EQ(step().bound, 0);
  ASSERT_TRUE(member(1).status.retry_at);
  for (const int64_t each : {0, 1, 2}) {
    EXPECT_EQ(member(each).status.refusals, 0) << each;
    EXPECT_EQ(member(each).status.retry_at, member(1).status.retry_at) << each;
  }
  clock_.advance(Millis(20'000));
  for (const char* name : {"n1", "n2", "n3"}) heartbeat(name);
  EXPECT_EQ(step().bound, 3);
}

TEST_F(GangStepTest, WithoutRetryNoCommandIsStartedTwiceForAMemberThatCouldNotBegin) {
  two_nodes();
  create(2);
  step();
  begin(0);
  refuse(1);
  step();
  EXPECT_EQ(member(1).status.phase, RunPhase::kFailed);
  EXPECT_EQ(member(1).status.reason, "GANG_ENDED");
  EXPECT_NE(member(1).status.message.find("gang-0"), std::string::npos);
  EXPECT_EQ(member(0).status.eviction->reason, "GANG_ENDED");
  end(0, RunPhase::kCanceled);
  step();
  EXPECT_EQ(gang().status.reason, "GANG_FAILED");
}

TEST_F(GangStepTest, OnceAMemberHasSucceededNoneIsTriedAgain) {
  two_nodes();
  create(2, with_retry);
  step();
  end(0, RunPhase::kSucceeded);
  step();
  lose(1);
  step();
  step();
  EXPECT_EQ(member(1).status.phase, RunPhase::kFailed);
  EXPECT_EQ(gang().status.phase, RunPhase::kFailed);
  EXPECT_EQ(gang().status.array->succeeded, 1);
}

TEST_F(GangStepTest, ACancelEndsAllOfIt) {
  two_nodes();
  create(2);
  step();
  cancel(kGang);
  step();
  for (const int64_t each : {0, 1}) EXPECT_TRUE(member(each).spec.cancel_requested);
  for (const int64_t each : {0, 1}) end(each, RunPhase::kCanceled);
  step();
  EXPECT_EQ(gang().status.phase, RunPhase::kCanceled);
  EXPECT_EQ(gang().status.reason, "CANCEL_REQUESTED");
}

TEST_F(GangStepTest, ACancelReachesThoseThatEndAsAMemberHasFailed) {
  for (const char* name : {"n1", "n2", "n3"}) heartbeat(name);
  create(3);
  step();
  end(1, RunPhase::kFailed, 7);
  step();
  EXPECT_EQ(member(0).status.eviction->reason, "GANG_ENDED");
  end(2, RunPhase::kCanceled);
  step();
  cancel(kGang);
  step();
  EXPECT_TRUE(member(0).spec.cancel_requested);
  end(0, RunPhase::kCanceled);
  step();
  EXPECT_EQ(gang().status.phase, RunPhase::kCanceled);
  EXPECT_EQ(gang().status.array->canceled, 2);
}

// 1,000 are placed in one pass, and a gang is not divided.
TEST_F(GangStepTest, ThatExceedsWhatIsPlacedInOnePassHasTheNextOneFollowAtOnce) {
  heartbeat("n2");
  for (const char* name : {"n1", "n2"}) {
    contracts::SyncRequest request;
    request.process = "process-1";
    request.status.emplace().capacity = {4, {16LL << 30}, {1LL << 40}, 2'000};
    ASSERT_TRUE(nodes::synchronize(*store_, leases_, name, request, nodes::now(clock_)).ok());
  }
  for (int i = 0; i < 999; ++i)
    submit(cat("first-", i), [](contracts::Run& run) { run.spec.priority = 1; });
  create(2);
  submit("last", [](contracts::Run& run) { run.spec.priority = -1; });
  const TickReport report = step();
  EXPECT_EQ(report.bound, 1'001);
  EXPECT_EQ(report.waiting, 1);
  EXPECT_EQ(report.next, Millis(0));
  EXPECT_EQ(step().bound, 1);
}

TEST_F(GangStepTest, TakesThePlacesOfAllItsMembersInTheQueueFromItsCreationOn) {
  settings_.scheduling.quotas["default"].pending = 4;
  controller_dies();
  contracts::Run run;
  run.metadata.name_space = "default";
  run.spec.nodes = 5;
  EXPECT_EQ(reconciler_->check_bounds(run).error().reason, "QUOTA_TOO_SMALL");
  run.spec.nodes = 4;
  EXPECT_TRUE(reconciler_->check_bounds(run).ok());
  create(4);
  EXPECT_EQ(reconciler_->reserve_queue("default", {"another"}).error().reason, "QUOTA_PENDING");
  step();
  EXPECT_EQ(phases(4), std::set{RunPhase::kPending});
  EXPECT_EQ(reconciler_->reserve_queue("default", {"another"}).error().reason, "QUOTA_PENDING");
}

TEST_F(GangStepTest, TakesNoPlaceOfTheQueueOnceItsMembersArePlaced) {
  settings_.scheduling.quotas["default"].pending = 2;
  controller_dies();
  two_nodes();
  create(2);
  step();
  step();
  EXPECT_EQ(phases(2), std::set{RunPhase::kScheduled});
  EXPECT_TRUE(reconciler_->reserve_queue("default", {"one", "another"}).ok());
}

TEST_F(GangStepTest, ADeadlineEndsThoseThatWait) {
  create(2, [](contracts::Run& run) { run.spec.deadline = wire::Duration{Millis(10'000)}; });
  step();
  clock_.advance(Millis(11'000));
  step();
  step();
  EXPECT_EQ(phases(2), std::set{RunPhase::kFailed});
  EXPECT_EQ(gang().status.reason, "DEADLINE_EXCEEDED");
}

}  // namespace
}  // namespace paddock::reconciler
