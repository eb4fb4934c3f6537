#include "controller/reconciler/array_step.h"

#include <algorithm>

#include "controller/reconciler/reconciler_test_support.h"

namespace paddock::reconciler {
namespace {

using contracts::RunPhase;

constexpr const char* kUid = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b";

class ArrayStepTest : public ReconcilerTest {
 protected:
  void create(
      int64_t count, const std::function<void(contracts::Run&)>& change = [](contracts::Run&) {}) {
    contracts::Run run;
    run.metadata.name = "sweep";
    run.metadata.uid = kUid;
    run.metadata.name_space = "default";
    run.spec.command.argv = {"true"};
    run.spec.array.emplace().count = count;
    change(run);
    store_new(std::move(run));
  }
  std::optional<contracts::Run> element(int64_t index) {
    return find(contracts::element_name("sweep", index));
  }
  contracts::Run array() { return find("sweep").value_or(contracts::Run()); }
  contracts::ArrayStatus counts() {
    return array().status.array.value_or(contracts::ArrayStatus());
  }
  std::vector<contracts::Run> active() {
    std::vector<contracts::Run> found;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(found, txn.active_runs());
                      return {};
                    })
                    .ok());
    std::erase_if(found, [](const contracts::Run& run) { return !run.status.element; });
    return found;
  }
  // As its node would say it.
  void end(const std::string& uid, RunPhase phase, int64_t rc = 0) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid(uid));
                      contracts::RunOutcome outcome;
                      outcome.phase = phase;
                      outcome.result.emplace().rc = rc;
                      outcome.message = "as reported";
                      ASSIGN_OR_RETURN(runs::Events events, runs::finish(run, run.status.attempt,
                                                                         outcome, clock_.wall()));
                      return store::save_run(txn, run, std::move(events));
                    })
                    .ok());
  }
  void end_all(RunPhase phase = RunPhase::kSucceeded) {
    for (const contracts::Run& run : active())
      if (!run.status.node_name.empty()) end(run.metadata.uid, phase);
  }
  Status erase(const std::string& name) {
    return store_->write([&](store::WriteTxn& txn) -> Status {
      ASSIGN_OR_RETURN(const contracts::Run run, txn.get<contracts::Run>({"default", name}));
      return store::erase_run(txn, run);
    });
  }
  void mark_deleted(int64_t grace_seconds = 0) {
    ASSERT_TRUE(
        store_
            ->write([&](store::WriteTxn& txn) -> Status {
              ASSIGN_OR_RETURN(contracts::Run run, txn.get<contracts::Run>({"default", "sweep"}));
              run.metadata.deletion_timestamp = wire::Timestamp{clock_.wall()};
              run.metadata.deletion_grace_period_seconds = grace_seconds;
              run.metadata.generation += 1;
              return store::save_run(txn, run, runs::request_cancel(run, clock_.wall()));
            })
            .ok());
  }
  void controller_dies() { reconciler_.emplace(*store_, leases_, settings_); }
};

TEST_F(ArrayStepTest, MakesWhatMayLiveAtOnceAndPlacesIt) {
  heartbeat();
  create(10, [](contracts::Run& run) { run.spec.array->max_parallel = 3; });
  EXPECT_EQ(step().bound, 3);
  EXPECT_EQ(active().size(), 3u);
  EXPECT_FALSE(element(3));
  EXPECT_EQ(array().status.phase, RunPhase::kRunning);
  EXPECT_TRUE(array().status.node_name.empty());
  EXPECT_EQ(counts().active, 3);
  EXPECT_EQ(counts().pending, 7);
  const std::string version = array().metadata.resource_version;
  step();
  EXPECT_EQ(array().metadata.resource_version, version) << "nothing happened to it";
  end(element(1)->metadata.uid, RunPhase::kFailed, 7);
  step();
  EXPECT_TRUE(element(3));
  EXPECT_FALSE(element(4));
  EXPECT_EQ(counts().failed_indexes, "1");
  EXPECT_EQ(counts().first_failure->rc, 7);
}

TEST_F(ArrayStepTest, EndsThatComeTogetherAreOneWriteOfTheArray) {
  heartbeat();
  create(40);
  step();
  step();
  const int64_t before = parse_integer<int64_t>(array().metadata.resource_version).value();
  end_all();
  int64_t writes = 0;
  ASSERT_GT(active().size(), 0u) << "the node has not room for all of them";
  step();
  ASSERT_TRUE(store_
                  ->read([&](store::ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto changes, txn.changes_after(before));
                    writes = std::ranges::count_if(
                        *changes, [](const auto& change) { return change.key.name == "sweep"; });
                    return {};
                  })
                  .ok());
  EXPECT_EQ(writes, 1);
  EXPECT_GT(counts().succeeded, 1);
}

TEST_F(ArrayStepTest, SaysWhatItsFirstElementWaitsFor) {
  create(5);
  step();
  step();
  EXPECT_EQ(array().status.phase, RunPhase::kPending);
  EXPECT_EQ(array().status.reason, "UNSCHEDULABLE");
  EXPECT_NE(array().status.message.find("sweep-0"), std::string::npos);
}

// Whatever moment the controller dies at, each index is made once, and each end is counted.
TEST_F(ArrayStepTest, NoIndexIsMadeTwiceAndNoneIsMissingWhenTheControllerDies) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SeededRandom random(seed);
    SetUp();
    heartbeat();
    const auto count = static_cast<int64_t>(1 + random.next() % 60);
    create(count, [&](contracts::Run& run) {
      run.spec.array->max_parallel = static_cast<int64_t>(1 + random.next() % 9);
    });
    std::set<std::string> uids;
    int64_t failed = 0;
    for (int i = 0; i < 600 && array().status.phase != RunPhase::kSucceeded &&
                    array().status.phase != RunPhase::kFailed;
         ++i) {
      if (random.next() % 3 == 0) controller_dies();
      step();
      EXPECT_LE(static_cast<int64_t>(active().size()), *array().spec.array->max_parallel);
      for (const contracts::Run& run : active()) {
        uids.insert(run.metadata.uid);
        if (run.status.node_name.empty() || random.next() % 2 == 0) continue;
        const bool fails = random.next() % 4 == 0;
        failed += fails ? 1 : 0;
        end(run.metadata.uid, fails ? RunPhase::kFailed : RunPhase::kSucceeded, fails ? 1 : 0);
        // Its record may go before anybody counted its end.
        if (random.next() % 5 == 0) EXPECT_TRUE(erase(run.metadata.name).ok());
      }
    }
    ASSERT_TRUE(contracts::is_terminal(array().status.phase)) << "seed " << seed;
    EXPECT_EQ(static_cast<int64_t>(uids.size()), count) << "seed " << seed;
    EXPECT_EQ(counts().failed, failed) << "seed " << seed;
    EXPECT_EQ(counts().succeeded, count - failed) << "seed " << seed;
    EXPECT_EQ(array().status.phase, failed > 0 ? RunPhase::kFailed : RunPhase::kSucceeded);
  }
}

TEST_F(ArrayStepTest, ACancelEndsItsElementsAlsoIfTheControllerDiesInBetween) {
  heartbeat();
  create(50, [](contracts::Run& run) { run.spec.array->max_parallel = 20; });
  step();
  step();
  cancel(kUid);
  controller_dies();
  step();
  for (const contracts::Run& run : active()) EXPECT_TRUE(run.spec.cancel_requested);
  controller_dies();
  for (const contracts::Run& run : active()) end(run.metadata.uid, RunPhase::kCanceled);
  step();
  EXPECT_EQ(array().status.phase, RunPhase::kCanceled);
  EXPECT_EQ(array().status.reason, "CANCEL_REQUESTED");
  EXPECT_EQ(counts().canceled_indexes, "0-49");
  EXPECT_FALSE(element(20)) << "it was never made";
}

TEST_F(ArrayStepTest, ACancelThatIsMadeUrgentReachesItsElementsToo) {
  heartbeat();
  create(3);
  ASSERT_EQ(step().bound, 3);
  cancel(kUid);
  step();
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid(kUid));
                    return store::save_run(txn, run, runs::kill_now(run, clock_.wall()));
                  })
                  .ok());
  step();
  for (const contracts::Run& run : active()) EXPECT_TRUE(run.status.kill_now);
  EXPECT_EQ(active().size(), 3u);
}

TEST_F(ArrayStepTest, ADeletionErasesItsElementsPieceByPieceAndThenTheArray) {
  heartbeat();
  create(450, [](contracts::Run& run) { run.spec.array->max_failed_indexes = 0; });
  step();
  step();
  EXPECT_EQ(counts().created, 450);
  for (int i = 0; i < 500 && array().status.phase != RunPhase::kFailed; ++i) {
    for (const contracts::Run& run : active())
      if (!run.status.node_name.empty()) end(run.metadata.uid, RunPhase::kFailed, 1);
    step();
  }
  EXPECT_EQ(array().status.phase, RunPhase::kFailed);
  EXPECT_EQ(array().status.reason, "MAX_FAILED_INDEXES");
  mark_deleted();
  controller_dies();
  EXPECT_EQ(step().next, Millis(0)) << "there is more to do";
  EXPECT_TRUE(find("sweep"));
  EXPECT_TRUE(element(0));
  controller_dies();
  step();
  step();
  EXPECT_FALSE(element(0));
  EXPECT_FALSE(find("sweep"));
}

TEST_F(ArrayStepTest, ADeletionThatLeavesLessGraceKillsItsElementsThen) {
  heartbeat();
  create(3, [](contracts::Run& run) { run.spec.termination_grace = wire::Wait{Millis(40'000)}; });
  ASSERT_EQ(step().bound, 3);
  mark_deleted(5);
  EXPECT_EQ(step().next, Millis(5'000));
  for (const contracts::Run& run : active()) EXPECT_FALSE(run.status.kill_now);
  clock_.advance(Millis(5'000));
  heartbeat();
  step();
  for (const contracts::Run& run : active()) EXPECT_TRUE(run.status.kill_now);
  EXPECT_EQ(active().size(), 3u);
}

TEST_F(ArrayStepTest, ADeletionOfOneThatLivesEndsItFirst) {
  heartbeat();
  create(10, [](contracts::Run& run) { run.spec.array->max_parallel = 2; });
  step();
  mark_deleted();
  step();
  EXPECT_TRUE(find("sweep"));
  for (const contracts::Run& run : active()) end(run.metadata.uid, RunPhase::kCanceled);
  step();
  step();
  EXPECT_FALSE(find("sweep"));
  EXPECT_FALSE(element(0));
}

TEST_F(ArrayStepTest, ItsElementsTakeNoMoreOfTheQueueThanTheQuotaHas) {
  settings_.scheduling.quotas["default"].pending = 5;
  controller_dies();
  create(20);
  step();
  EXPECT_EQ(active().size(), 5u);
  step();
  EXPECT_EQ(active().size(), 5u);
  EXPECT_FALSE(reconciler_->reserve_queue("default", {"another"}).ok());
  heartbeat();
  step();
  step();
  EXPECT_GT(active().size(), 5u) << "those that are placed wait no more";
}

TEST_F(ArrayStepTest, SeveralArraysTakeNoMorePlacesTogetherThanTheQuotaHas) {
  settings_.scheduling.quotas["default"].pending = 6;
  controller_dies();
  create(20);
  create(20, [](contracts::Run& run) { run.metadata.name = run.metadata.uid = "other"; });
  step();
  step();
  EXPECT_EQ(active().size(), 6U) << "one has all, and the other the place that it came with";
  const auto refused = reconciler_->reserve_queue("default", {"another"});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("6 runs of namespace"), std::string::npos)
      << refused.error().message;
}

TEST_F(ArrayStepTest, ThatHasMadeAllItsElementsTakesNoPlaceBesideThem) {
  settings_.scheduling.quotas["default"].pending = 3;
  controller_dies();
  create(2);
  step();
  EXPECT_EQ(active().size(), 2U);
  EXPECT_TRUE(reconciler_->reserve_queue("default", {"another"}).ok());
  EXPECT_FALSE(reconciler_->reserve_queue("default", {"one", "more"}).ok());
}

TEST_F(ArrayStepTest, RetentionTakesNoCountsWithIt) {
  settings_.retention.max_finished_runs = 0;
  controller_dies();
  heartbeat();
  create(6, [](contracts::Run& run) { run.spec.array->max_parallel = 2; });
  for (int i = 0; i < 2; ++i) {
    step();
    end_all();
    clock_.advance(Millis(6000));
    heartbeat();
  }
  step();
  EXPECT_FALSE(element(0));
  EXPECT_EQ(counts().completed_indexes, "0-3");
}

TEST_F(ArrayStepTest, AnElementThatSomebodyDeletesIsCanceledAndNotMadeAgain) {
  create(2);
  step();
  cancel(element(0)->metadata.uid);
  ASSERT_TRUE(erase("sweep-0").ok());
  step();
  EXPECT_FALSE(element(0));
  EXPECT_EQ(counts().canceled_indexes, "0");
}

TEST_F(ArrayStepTest, AnArrayThatIsOverItsDeadlineFailsWithItsElements) {
  create(10, [](contracts::Run& run) {
    run.spec.deadline = wire::Duration{Millis(1000)};
    run.spec.array->max_parallel = 3;
  });
  clock_.advance(Millis(10));  // so that its elements are younger
  step();
  clock_.advance(Millis(1001));
  step();
  step();
  EXPECT_EQ(array().status.phase, RunPhase::kFailed);
  EXPECT_EQ(array().status.reason, "DEADLINE_EXCEEDED");
  EXPECT_EQ(counts().failed_indexes, "0-2");
  EXPECT_EQ(counts().canceled_indexes, "3-9");
  EXPECT_EQ(element(0)->status.reason, "DEADLINE_EXCEEDED");
  EXPECT_NE(element(0)->status.message.find("array"), std::string::npos) << "and not its own";
}

}  // namespace
}  // namespace paddock::reconciler
