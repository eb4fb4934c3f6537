#include "controller/reconciler/reconciler.h"

#include "controller/reconciler/reconciler_test_support.h"
#include "controller/store/full_store_test_support.h"

namespace paddock::reconciler {
namespace {

// Its place in the queue, as its message says it.
std::string position_of(const contracts::Run& run) {
  constexpr std::string_view kBefore = "; position ";
  const std::string& message = run.status.message;
  const size_t at = message.find(kBefore);
  if (at == std::string::npos) return "none";
  const size_t from = at + kBefore.size();
  return message.substr(from, message.find(" in ", from) - from);
}

TEST_F(ReconcilerTest, PlacesAWaitingRunOnceItsNodeCalls) {
  submit("a");
  EXPECT_EQ(step().waiting, 1);
  const contracts::Run waiting = run("a");
  EXPECT_EQ(waiting.status.reason, "UNSCHEDULABLE");
  EXPECT_NE(waiting.status.message.find("0/1 nodes fit: 1"), std::string::npos);
  EXPECT_EQ(position_of(waiting), "1");
  step();
  EXPECT_EQ(run("a").metadata.resource_version, waiting.metadata.resource_version)
      << "the same reason is not written again";
  heartbeat();
  EXPECT_EQ(step().bound, 1);
  EXPECT_EQ(run("a").status.node_name, "n1");
  EXPECT_EQ(run("a").status.attempt, 1);
}

// proves: ORB-10
TEST_F(ReconcilerTest, WhoMovesUpInTheQueueIsToldSo) {
  for (int i = 0; i < 102; ++i) {
    submit(cat("r", 100 + i));
    clock_.advance(Millis(1));
  }
  step();
  EXPECT_EQ(position_of(run("r101")), "2");
  EXPECT_EQ(position_of(run("r200")), "over 100");
  cancel("r100");
  EXPECT_EQ(step().next, Millis(1'000)) << "now and then, not each time";
  clock_.advance(Millis(1'000));
  step();
  EXPECT_EQ(position_of(run("r101")), "1");
  EXPECT_EQ(position_of(run("r200")), "100");
  cancel("r101");
  EXPECT_EQ(step().next, Millis(5'000)) << "a hundred were told just now";
  submit("late");
  step();
  EXPECT_EQ(position_of(run("late")), "over 100") << "a new one is not kept waiting";
  EXPECT_EQ(position_of(run("r102")), "2");
  clock_.advance(Millis(5'000));
  step();
  EXPECT_EQ(position_of(run("r102")), "1");
}

// Runs everything and then keeps nothing of it, as a disk that is full does.
class RefusingStore final : public store::Store {
 public:
  explicit RefusingStore(store::Store& store) : store_(store) {}
  Status write(const std::function<Status(store::WriteTxn&)>& change) override {
    return store_.write([&](store::WriteTxn& txn) -> Status {
      TRY(change(txn));
      if (refuse) return Error{Code::kUnavailable, "STORE_FULL", "the disk is full"};
      return {};
    });
  }
  Status read(const std::function<Status(store::ReadTxn&)>& look) override {
    return store_.read(look);
  }
  Status check_writable() override { return store_.check_writable(); }
  bool refuse = false;

 private:
  store::Store& store_;
};

TEST_F(ReconcilerTest, OnAFullDiskItEndsAndForgetsAndPlacesNothing) {
  store::FullStore full(*store_);
  reconciler_.emplace(full, leases_, settings_);
  heartbeat();
  submit("waits");
  submit("overdue", [](contracts::Run& run) { run.spec.deadline = wire::Duration{Millis(1000)}; });
  clock_.advance(Millis(1001));
  heartbeat();
  TickReport report = step();
  EXPECT_EQ(report.bound, 0);
  EXPECT_EQ(report.expired, 1);
  EXPECT_EQ(run("waits").status.phase, RunPhase::kPending);
  settings_.retention.max_finished_runs = 0;
  reconciler_.emplace(full, leases_, settings_);
  EXPECT_EQ(step().pruned, 1);
  EXPECT_FALSE(exists("overdue"));
  clock_.advance(Millis(60'000));  // its reason is due, and is not written
  heartbeat();
  step();
  EXPECT_GE(step().next, Millis(1'000)) << "it does not ask again and again";
  full.full = false;
  EXPECT_EQ(step().bound, 1);
}

TEST_F(ReconcilerTest, WhatTheDiskRefusedIsDoneAgain) {
  RefusingStore refusing(*store_);
  reconciler_.emplace(refusing, leases_, settings_);
  heartbeat();
  submit("a");
  refusing.refuse = true;
  EXPECT_EQ(reconciler_->tick(nodes::now(clock_)).error().reason, "STORE_FULL");
  EXPECT_EQ(run("a").status.phase, RunPhase::kPending);
  refusing.refuse = false;
  EXPECT_EQ(step().bound, 1);
  clock_.advance(nodes::kLostAfter);
  refusing.refuse = true;
  EXPECT_FALSE(reconciler_->tick(nodes::now(clock_)).ok());
  refusing.refuse = false;
  EXPECT_EQ(step().lost, 1);
  EXPECT_EQ(run("a").status.reason, "NODE_LOST");
}

TEST_F(ReconcilerTest, ARunPastItsDeadlineEndsAndSaysSoWaitingOrPlaced) {
  const auto soon = [](contracts::Run& run) { run.spec.deadline = wire::Duration{Millis(5'000)}; };
  submit("waits", soon);
  step();
  clock_.advance(Millis(4'999));
  EXPECT_EQ(step().next, Millis(1));
  clock_.advance(Millis(1));
  EXPECT_EQ(step().expired, 1);
  EXPECT_EQ(run("waits").status.reason, "DEADLINE_EXCEEDED");
  EXPECT_EQ(run("waits").status.phase, RunPhase::kFailed);
  EXPECT_NE(run("waits").status.message.find("0/1 nodes fit"), std::string::npos);

  heartbeat();
  submit("placed", soon);
  EXPECT_EQ(step().bound, 1);
  clock_.advance(Millis(5'000));
  EXPECT_EQ(step().expired, 1);
  EXPECT_EQ(step().expired, 0) << "once is enough";
  const auto answer = heartbeat();
  ASSERT_EQ(answer.runs.size(), 1u);
  EXPECT_EQ(answer.runs[0].desired, contracts::DesiredState::kCancel);
}

TEST_F(ReconcilerTest, ForgetsRunsByAgeAndByNumber) {
  settings_.retention.finished_runs = wire::Duration{Millis(60'000)};
  settings_.retention.max_finished_runs = 2;
  reconciler_.emplace(*store_, leases_, settings_);
  for (const char* name : {"a", "b", "c"}) {
    submit(name);
    cancel(name);
    clock_.advance(Millis(1'000));
  }
  submit("active");
  EXPECT_EQ(step().pruned, 1) << "the oldest of three";
  EXPECT_FALSE(exists("a"));
  EXPECT_TRUE(exists("b"));
  clock_.advance(Millis(60'000));
  EXPECT_EQ(step().pruned, 2);
  EXPECT_FALSE(exists("c"));
  EXPECT_TRUE(exists("active"));
}

TEST_F(ReconcilerTest, ForgetsTokensWhoseEndIsLongPast) {
  settings_.retention.audit = wire::Duration{Millis(60'000)};
  reconciler_.emplace(*store_, leases_, settings_);
  heartbeat();
  const auto count = [&] {
    size_t tokens = 0;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto all, txn.tokens());
                      tokens = all.size();
                      return {};
                    })
                    .ok());
    return tokens;
  };
  const size_t before = count();
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) {
                    return txn.put_token({"id", "hash", "ci", {}, "", clock_.wall().ms, false});
                  })
                  .ok());
  clock_.advance(Millis(60'000));
  EXPECT_EQ(step().pruned, 0);
  EXPECT_EQ(count(), before + 1);
  clock_.advance(Millis(5'000));
  EXPECT_EQ(step().pruned, 1);
  EXPECT_EQ(count(), before) << "those without an end stay";
}

TEST_F(ReconcilerTest, ReadsOnlyWhatChangedAndSeesTheSameAsOneThatReadsAll) {
  heartbeat();
  for (int i = 0; i < 30; ++i) submit(cat("r", i));
  step();
  heartbeat("n2");
  cancel("r20");
  ASSERT_TRUE(nodes::remove(*store_, leases_, "n1").ok());
  step();
  const auto prints = reconciler_->fingerprints().value();
  EXPECT_EQ(prints.first, prints.second);
  EXPECT_EQ(reconciler_->totals().reloads, 1);
}

// The bounds of the namespace, as a grant's change, and its end.
TEST_F(ReconcilerTest, FollowsTheGrantsOfANamespaceWithoutReadingAnew) {
  heartbeat();
  step();
  contracts::Grant grant;
  grant.metadata.name = grant.metadata.uid = "bound";
  grant.metadata.name_space = "default";
  const auto change = [&](const std::function<Status(store::WriteTxn&)>& write) {
    ASSERT_TRUE(store_->write(write).ok());
  };
  grant.spec.compute.emplace().quota.emplace().runs = 1;
  change([&](store::WriteTxn& txn) { return txn.create(grant); });
  for (const char* name : {"a", "b", "c"}) submit(name);
  EXPECT_EQ(step().bound, 1);
  EXPECT_EQ(reconciler_->quota_use("default")->runs, 1);
  EXPECT_FALSE(reconciler_->quota_use("other"));
  EXPECT_NE(run("b").status.message.find("grant bound"), std::string::npos);
  EXPECT_EQ(run("b").status.reason, "QUOTA_IN_USE");
  grant.spec.compute->quota->runs = 2;
  change([&](store::WriteTxn& txn) { return txn.update(grant); });
  EXPECT_EQ(step().bound, 1);
  auto prints = reconciler_->fingerprints().value();
  EXPECT_EQ(prints.first, prints.second);
  change([&](store::WriteTxn& txn) { return txn.erase<contracts::Grant>({"default", "bound"}); });
  EXPECT_EQ(step().bound, 1);
  EXPECT_FALSE(reconciler_->quota_use("default"));
  prints = reconciler_->fingerprints().value();
  EXPECT_EQ(prints.first, prints.second);
  EXPECT_EQ(reconciler_->totals().reloads, 1);
}

TEST_F(ReconcilerTest, RefusesWhatAQuotaDoesNotLetInAtAll) {
  scheduler::Quota quota;
  quota.pending = 1;
  quota.max_priority = 5;
  settings_.scheduling.quotas = {{"default", quota}};
  reconciler_.emplace(*store_, leases_, settings_);
  contracts::Run asked;
  asked.metadata.name_space = "default";
  asked.spec.priority = 6;
  EXPECT_EQ(reconciler_->check_bounds(asked).error().reason, "QUOTA_PRIORITY");
  asked.spec.priority = 5;
  EXPECT_TRUE(reconciler_->check_bounds(asked).ok());
  EXPECT_TRUE(reconciler_->reserve_queue("default", {"a"}).ok());
  submit("a");
  EXPECT_EQ(reconciler_->reserve_queue("default", {"b"}).error().reason, "QUOTA_PENDING");
  EXPECT_TRUE(reconciler_->reserve_queue("another", {"b"}).ok());

  scheduler::Quota small;
  small.cpu = 2;
  settings_.scheduling.quotas = {{"default", small}};
  reconciler_.emplace(*store_, leases_, settings_);
  asked.metadata.name_space = "default";
  EXPECT_TRUE(reconciler_->check_bounds(asked).ok());
  asked.spec.resources.emplace().cpu = 3;
  EXPECT_EQ(reconciler_->check_bounds(asked).error().reason, "QUOTA_TOO_SMALL");
}

// Two callers that both looked before either had stored anything would both get in.
TEST_F(ReconcilerTest, RoomInTheQueueIsTakenByWhatIsOnItsWay) {
  scheduler::Quota quota;
  quota.pending = 3;
  settings_.scheduling.quotas = {{"default", quota}};
  reconciler_.emplace(*store_, leases_, settings_);
  const auto take = [&](std::vector<std::string> uids) {
    return reconciler_->reserve_queue("default", std::move(uids));
  };
  {
    const auto first = take({"a", "b"});
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(take({"c", "d"}).error().reason, "QUOTA_PENDING");
    EXPECT_TRUE(take({"c"}).ok()) << "and given back at once";
    submit("a");
    submit("b");
    EXPECT_TRUE(take({"c"}).ok()) << "what is stored is not counted twice";
    EXPECT_EQ(take({"c", "d"}).error().reason, "QUOTA_PENDING");
  }
  EXPECT_TRUE(take({"c"}).ok());
  EXPECT_EQ(take({"c", "d"}).error().reason, "QUOTA_PENDING");
}

TEST_F(ReconcilerTest, SaysWhenItMustBeAskedAgain) {
  heartbeat();
  clock_.advance(Millis(5000));
  EXPECT_EQ(step().next, nodes::kLease - Millis(5000));
  clock_.advance(nodes::kLostAfter - Millis(6000));
  EXPECT_EQ(step().next, Millis(1000));
}

}  // namespace
}  // namespace paddock::reconciler
