// Sandbox sessions in the quotas of their namespaces: one account with the runs.
#include <gmock/gmock.h>

#include "controller/reconciler/reconciler_test_support.h"
#include "controller/runs/transitions.h"
#include "controller/sessions/life.h"

namespace paddock::reconciler {
namespace {

using contracts::Sandbox;
using testing::HasSubstr;

class SessionQuota : public ReconcilerTest {
 protected:
  void bound(const contracts::ComputeQuota& quota) {
    contracts::Grant grant;
    grant.metadata.name = grant.metadata.uid = "bound";
    grant.metadata.name_space = "default";
    grant.spec.compute.emplace().quota = quota;
    ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(grant); }).ok());
  }
  static contracts::ComputeQuota runs(int64_t most) {
    contracts::ComputeQuota quota;
    quota.runs = most;
    return quota;
  }
  static Sandbox session(const std::string& name) {
    Sandbox out;
    out.metadata.name = out.metadata.uid = name;
    out.metadata.name_space = "default";
    out.spec = contracts::with_session_defaults({});
    return out;
  }
  void keep(Sandbox one) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      TRY(txn.create(one));
                      return sessions::note_use(txn, one, clock_.wall());
                    })
                    .ok());
  }
  void destroy(const std::string& name) {
    ASSERT_TRUE(
        store_->write([&](store::WriteTxn& txn) {
                return txn.erase<Sandbox>({"default", name});
              })
            .ok());
  }
  std::string refusal(const std::string& name) {
    const auto room = reconciler_->reserve_session(session(name));
    return room.ok() ? "" : room.error().reason.str();
  }
  void expect_same_as_anew() {
    const auto prints = reconciler_->fingerprints().value();
    EXPECT_EQ(prints.first, prints.second);
  }
};

TEST_F(SessionQuota, OneBeyondItIsRefusedByNameUntilAnotherGoes) {
  bound(runs(1));
  EXPECT_EQ(refusal("a"), "");
  keep(session("a"));
  const auto refused = reconciler_->reserve_session(session("b"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "QUOTA_USED_UP");
  EXPECT_EQ(refused.error().code, Code::kResourceExhausted);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("grant bound"), HasSubstr("1 of 1 runs")));
  ASSERT_EQ(refused.error().causes.size(), 1U);
  EXPECT_EQ(refused.error().causes[0].field, "spec");
  step();
  EXPECT_EQ(reconciler_->quota_use("default")->runs, 1);
  EXPECT_EQ(reconciler_->quota_use("default")->memory.bytes, int64_t{256} << 20);
  expect_same_as_anew();
  destroy("a");
  EXPECT_EQ(refusal("b"), "");
  expect_same_as_anew();
}

TEST_F(SessionQuota, AControllerThatStartsAnewKeepsTheAccount) {
  bound(runs(1));
  keep(session("a"));
  reconciler_.emplace(*store_, leases_, settings_);
  EXPECT_EQ(refusal("b"), "QUOTA_USED_UP");
}

TEST_F(SessionQuota, ItsMemoryAndOneCoreCountAndWhatNeverFitsIsSaidSo) {
  contracts::ComputeQuota quota;
  quota.cpu = 2;
  quota.memory = wire::Quantity{int64_t{1} << 30};
  bound(quota);
  Sandbox large = session("large");
  large.spec.security.limits.memory_bytes = int64_t{2} << 30;
  const auto never = reconciler_->reserve_session(large);
  ASSERT_FALSE(never.ok());
  EXPECT_EQ(never.error().reason, "QUOTA_TOO_SMALL");
  EXPECT_THAT(never.error().message, HasSubstr("2Gi"));
  EXPECT_EQ(never.error().causes[0].field, "spec.security.limits.memoryBytes");
  keep(session("a"));
  keep(session("b"));
  const auto third = reconciler_->reserve_session(session("c"));
  ASSERT_FALSE(third.ok());
  EXPECT_THAT(third.error().message, HasSubstr("2 of 2 cores"));
}

TEST_F(SessionQuota, RunsAndSessionsShareIt) {
  bound(runs(2));
  heartbeat();
  submit("first");
  EXPECT_EQ(step().bound, 1);
  keep(session("s"));
  submit("second");
  EXPECT_EQ(step().bound, 0);
  EXPECT_THAT(run("second").status.message, HasSubstr("2 of 2 runs"));
  EXPECT_EQ(refusal("t"), "QUOTA_USED_UP");
  clock_.advance(contracts::session_defaults::kIdleTimeout + Millis(2'000));
  heartbeat();
  EXPECT_EQ(step().bound, 1) << "the idle session ended, and the run has its room";
  expect_same_as_anew();
}

TEST_F(SessionQuota, TimeThatTheControllerStoodStillCountsForNoSession) {
  Sandbox one = session("s");
  one.status.expires_at =
      wire::Timestamp{clock_.wall() + contracts::session_defaults::kIdleTimeout};
  keep(one);
  const auto lives = [&] {
    Sandbox found;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(found, txn.get<Sandbox>({"default", "s"}));
                      return {};
                    })
                    .ok());
    return found.status.phase != contracts::SandboxPhase::kEnded;
  };
  reconciler_->look(nodes::now(clock_));
  clock_.advance(std::chrono::hours(8));
  EXPECT_EQ(reconciler_->look(nodes::now(clock_)), std::chrono::hours(8));
  step();
  EXPECT_TRUE(lives()) << "nobody could use it while nobody was there";
  step();
  EXPECT_TRUE(lives());
  clock_.advance(contracts::session_defaults::kIdleTimeout + Millis(2'000));
  step();
  EXPECT_FALSE(lives());
}

TEST_F(SessionQuota, OneOnItsWayToTheStoreHasItsRoomAlready) {
  bound(runs(1));
  heartbeat();
  {
    const auto room = reconciler_->reserve_session(session("a"));
    ASSERT_TRUE(room.ok());
    EXPECT_EQ(refusal("b"), "QUOTA_USED_UP");
    submit("r");
    EXPECT_EQ(step().bound, 0) << "nor is a run placed there";
    keep(session("a"));
    EXPECT_EQ(refusal("b"), "QUOTA_USED_UP");
  }
  EXPECT_EQ(refusal("b"), "QUOTA_USED_UP") << "it is there now";
  destroy("a");
  EXPECT_EQ(step().bound, 1);
}

TEST_F(SessionQuota, RoomThatIsGivenBackIsFree) {
  bound(runs(1));
  EXPECT_TRUE(reconciler_->reserve_session(session("a")).ok());
  EXPECT_EQ(refusal("b"), "") << "it was never stored";
}

TEST_F(SessionQuota, AnEndedOneCountsNoMore) {
  bound(runs(1));
  Sandbox one = session("a");
  keep(one);
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(one, txn.get<Sandbox>({"default", "a"}));
                    return sessions::end(txn, one, "LIFETIME_OVER", clock_.wall());
                  })
                  .ok());
  EXPECT_EQ(refusal("b"), "");
}

TEST_F(SessionQuota, TheOperatorsBoundsHoldToo) {
  EXPECT_FALSE(reconciler_->bounds("default"));
  settings_.runs_per_namespace = 1;
  reconciler_.emplace(*store_, leases_, settings_);
  EXPECT_TRUE(reconciler_->bounds("default"));
  keep(session("a"));
  const auto refused = reconciler_->reserve_session(session("b"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "QUOTA_USED_UP");
  EXPECT_THAT(refused.error().message, HasSubstr("maxRunsPerNamespace"));
}

}  // namespace
}  // namespace paddock::reconciler
