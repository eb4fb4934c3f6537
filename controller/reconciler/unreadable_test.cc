// A stored session that this version cannot read: everything else goes on.
#include "controller/reconciler/reconciler_test_support.h"
#include "controller/sessions/life.h"
#include "tests/support/log_capture.h"
#include "tests/support/temp_dir.h"

namespace paddock::reconciler {
namespace {

using contracts::Sandbox;

class Unreadable : public ReconcilerTest {
 protected:
  void SetUp() override {
    ReconcilerTest::SetUp();
    open();
    contracts::EnrollRequest request;
    request.identity = "identity-of-this-agent-32-characters";
    ASSERT_TRUE(nodes::enroll(*store_, "n1", request, clock_.wall(), random_).ok());
  }
  // Anew, so that nothing of an object is known but its text.
  void open() {
    reconciler_.reset();
    store_.reset();
    store_ = std::move(store::Store::open({folder_ / "paddock.db"})).value();
    reconciler_.emplace(*store_, leases_, settings_);
  }
  void keep(const std::string& name, bool readable) {
    Sandbox session;
    session.metadata.name = session.metadata.uid = name;
    session.metadata.name_space = "default";
    session.spec = contracts::with_session_defaults({});
    session.status.node_name = "n1";
    if (!readable) session.spec.security.limits.timeout_ms = -1;
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      TRY(txn.create(session));
                      return sessions::note_use(txn, session, clock_.wall());
                    })
                    .ok());
  }
  bool lives(const std::string& name) {
    bool found = false;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto session, txn.find<Sandbox>({"default", name}));
                      found = session && session->status.phase != contracts::SandboxPhase::kEnded;
                      return {};
                    })
                    .ok());
    return found;
  }
  test::TempDir folder_;
};

TEST_F(Unreadable, ASessionStopsNeitherRunsNorOtherSessions) {
  keep("damaged", false);
  keep("sound", true);
  open();
  heartbeat();
  submit("r");
  ASSERT_EQ(store_
                ->read([](store::ReadTxn& txn) -> Status {
                  return txn.get<Sandbox>({"default", "damaged"}).error();
                })
                .error()
                .reason.str(),
            "STORE_DATA_INVALID");
  ASSERT_TRUE(reconciler_->tick(nodes::now(clock_)).ok());
  EXPECT_EQ(run("r").status.node_name, "n1");
  clock_.advance(std::chrono::hours(2));
  heartbeat();
  const auto report = reconciler_->tick(nodes::now(clock_));
  ASSERT_TRUE(report.ok()) << report.error().describe();
  EXPECT_FALSE(lives("sound")) << "its time had come";
  EXPECT_GT(report->next, Millis(0)) << "the damaged one is not looked at again at once";
}

// One that has ended is needed by nobody; the array goes without it.
TEST_F(Unreadable, AnElementOfAnArrayIsInNobodysWay) {
  heartbeat();
  submit("sweep", [](contracts::Run& run) { run.spec.array.emplace().count = 2; });
  ASSERT_EQ(reconciler_->tick(nodes::now(clock_))->bound, 2);
  for (const char* name : {"sweep-0", "sweep-1"}) {
    ASSERT_TRUE(
        store_
            ->write([&](store::WriteTxn& txn) -> Status {
              ASSIGN_OR_RETURN(contracts::Run run, txn.get<contracts::Run>({"default", name}));
              contracts::RunOutcome outcome;
              outcome.phase = RunPhase::kSucceeded;
              outcome.result.emplace();
              ASSIGN_OR_RETURN(runs::Events events,
                               runs::finish(run, run.status.attempt, outcome, clock_.wall()));
              TRY(store::save_run(txn, run, std::move(events)));
              if (std::string_view(name) == "sweep-0") return {};
              run.metadata.generation = -1;
              return txn.update(run);
            })
            .ok());
  }
  ASSERT_TRUE(
      store_
          ->write([&](store::WriteTxn& txn) -> Status {
            ASSIGN_OR_RETURN(contracts::Run run, txn.get<contracts::Run>({"default", "sweep"}));
            run.metadata.deletion_timestamp = wire::Timestamp{clock_.wall()};
            run.metadata.generation += 1;
            return store::save_run(txn, run, {});
          })
          .ok());
  open();
  heartbeat();
  const test::LogCapture log;
  for (int i = 0; i < 3; ++i) {
    const auto report = reconciler_->tick(nodes::now(clock_));
    ASSERT_TRUE(report.ok()) << report.error().describe();
  }
  EXPECT_FALSE(find("sweep"));
  EXPECT_FALSE(find("sweep-0")) << "the others go with it";
  EXPECT_THAT(log.text(), testing::AllOf(testing::HasSubstr("an array is deleted"),
                                         testing::HasSubstr("\"run\":\"sweep-1\"")));
}

TEST_F(Unreadable, ASessionIsInNobodysWayWhenItsNodeIsDrained) {
  keep("damaged", false);
  keep("sound", true);
  open();
  heartbeat();
  ASSERT_TRUE(nodes::drain(*store_, "n1", Millis(0), clock_.wall()).ok());
  const auto report = reconciler_->tick(nodes::now(clock_));
  ASSERT_TRUE(report.ok()) << report.error().describe();
  EXPECT_FALSE(lives("sound"));
}

}  // namespace
}  // namespace paddock::reconciler
