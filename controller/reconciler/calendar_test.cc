// A calendar that somebody sets while the controller runs: by hand, or a time server after a start
// with a wrong clock.
#include "controller/reconciler/reconciler_test_support.h"
#include "controller/sessions/life.h"

namespace paddock::reconciler {
namespace {

using contracts::Sandbox;
using std::chrono::hours;

class Calendar : public ReconcilerTest {
 protected:
  void SetUp() override {
    ReconcilerTest::SetUp();
    look();
  }
  void look() { (void)reconciler_->look(nodes::now(clock_)); }
  void set(Millis by) {
    clock_.skew_wall(by);
    look();
  }
  // As a controller that looks in time.
  void live(Millis time) {
    for (Millis lived(0); lived < time; lived += reconciler_->look_every()) {
      clock_.advance(reconciler_->look_every());
      look();
    }
  }
  // Ends before anything placed it.
  void finish(const std::string& name) {
    submit(name);
    cancel(name);
    ASSERT_TRUE(contracts::is_terminal(run(name).status.phase));
  }
  bool write_record() {
    contracts::AuditEvent record;
    record.time = wire::Timestamp{clock_.wall()};
    record.type = "token.create";
    return store_->write([&](store::WriteTxn& txn) { return txn.append_audit(record); }).ok();
  }
  Sandbox keep_session() {
    Sandbox out;
    out.metadata.name = out.metadata.uid = "s";
    out.metadata.name_space = "default";
    out.spec = contracts::with_session_defaults({});
    out.status.expires_at = wire::Timestamp{clock_.wall() + out.spec.lifetime->value};
    EXPECT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      TRY(txn.create(out));
                      return sessions::note_use(txn, out, clock_.wall());
                    })
                    .ok());
    return out;
  }
  WallTime due() {
    std::optional<int64_t> out;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(out, txn.next_session_due());
                      return {};
                    })
                    .ok());
    return {out.value_or(0)};
  }
  WallTime end_of_session() {
    WallTime out;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const Sandbox found, txn.get<Sandbox>({"default", "s"}));
                      out = found.status.expires_at->value;
                      return {};
                    })
                    .ok());
    return out;
  }
};

TEST_F(Calendar, OneThatLeaptAheadForgetsNothingBeforeSomebodyCouldSetItRight) {
  finish("ended");
  step();
  set(hours(24 * 365));
  EXPECT_EQ(step().pruned, 0);
  live(std::chrono::minutes(50));
  EXPECT_EQ(step().pruned, 0);
  set(-hours(24 * 365));
  live(hours(2));
  EXPECT_EQ(step().pruned, 0);
  EXPECT_TRUE(exists("ended"));
}

TEST_F(Calendar, OneThatLeaptAheadHoldsBackWhoeverElseForgetsByIt) {
  EXPECT_TRUE(reconciler_->may_forget(nodes::now(clock_)));
  clock_.skew_wall(hours(24 * 365));  // and whoever asks is the first to notice
  EXPECT_FALSE(reconciler_->may_forget(nodes::now(clock_)));
  live(hours(1));
  EXPECT_TRUE(reconciler_->may_forget(nodes::now(clock_)));
}

TEST_F(Calendar, OneThatStaysAheadIsBelievedInTheEnd) {
  finish("ended");
  step();
  set(hours(24 * 365));
  EXPECT_EQ(step().pruned, 0);
  live(hours(1));
  EXPECT_GT(step().pruned, 0);
  EXPECT_FALSE(exists("ended"));
}

TEST_F(Calendar, OneThatLeaptAheadKeepsNoMoreThanMayBeKept) {
  settings_.retention.max_finished_runs = 1;
  reconciler_.emplace(*store_, leases_, settings_);
  finish("first");
  finish("second");
  clock_.advance(hours(24 * 365));
  ASSERT_TRUE(write_record());
  clock_.advance(hours(24 * 365));
  EXPECT_GT(reconciler_->look_back(nodes::now(clock_)).value(), Millis(0));
  EXPECT_EQ(step().pruned, 1);
  EXPECT_FALSE(exists("first"));
  EXPECT_TRUE(exists("second"));
}

// As of a controller that is started years ahead.
TEST_F(Calendar, OneThatLeaptWhileNobodyLookedForgetsNothingForAnHour) {
  finish("ended");
  step();
  ASSERT_TRUE(write_record());
  clock_.advance(hours(24 * 365));
  reconciler_.emplace(*store_, leases_, settings_);
  EXPECT_GT(reconciler_->look_back(nodes::now(clock_)).value(), hours(24 * 364));
  look();
  EXPECT_EQ(step().pruned, 0);
  EXPECT_FALSE(reconciler_->may_forget(nodes::now(clock_)));
  live(hours(1));
  EXPECT_GT(step().pruned, 0) << "it is believed in the end";
}

TEST_F(Calendar, OneThatOnlyWentOnIsBelievedAtTheStart) {
  EXPECT_EQ(reconciler_->look_back(nodes::now(clock_)).value(), Millis(0)) << "there is no record";
  ASSERT_TRUE(write_record());
  for (const Millis by : {Millis(hours(23)), -Millis(hours(25))}) {
    clock_.skew_wall(by);
    reconciler_.emplace(*store_, leases_, settings_);
    EXPECT_EQ(reconciler_->look_back(nodes::now(clock_)).value(), Millis(0));
    EXPECT_TRUE(reconciler_->may_forget(nodes::now(clock_)));
  }
}

TEST_F(Calendar, OneThatWasSetBackKeepsNoSessionForLonger) {
  const Sandbox made = keep_session();
  step();
  set(-hours(100));
  step();
  const Millis idle = contracts::session_defaults::kIdleTimeout;
  EXPECT_LE(due() - clock_.wall(), idle + hours(1)) << "and the time of a command under way";
  EXPECT_GE(due() - clock_.wall(), idle);
  EXPECT_EQ(end_of_session(), clock_.wall() + made.spec.lifetime->value);
  step();
  EXPECT_EQ(end_of_session(), clock_.wall() + made.spec.lifetime->value);
}

TEST_F(Calendar, OneThatWasSetForwardEndsNoSession) {
  const Sandbox made = keep_session();
  step();
  set(hours(100));
  step();
  EXPECT_GT(due(), clock_.wall());
  EXPECT_EQ(end_of_session(), clock_.wall() + made.spec.lifetime->value);
}

TEST_F(Calendar, OneThatWasSetForwardMovesNoEndThatIsATimeOfTheCalendar) {
  Sandbox made = keep_session();
  made.status.agent_sandbox.emplace();
  made.status.expires_at = wire::Timestamp{clock_.wall() + hours(101)};
  ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.update(made); }).ok());
  step();
  set(hours(100));
  step();
  EXPECT_EQ(end_of_session(), made.status.expires_at->value);
  EXPECT_GT(due(), clock_.wall());
  EXPECT_LE(due(), made.status.expires_at->value);
}

}  // namespace
}  // namespace paddock::reconciler
