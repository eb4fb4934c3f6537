#include "node-agent/runtimes/environment_store.h"

#include <stdlib.h>

#include <gtest/gtest.h>

#include "common/os/file.h"

namespace paddock::runtimes {
namespace {

constexpr Millis kDay = std::chrono::hours(24);

class EnvironmentStore : public testing::Test {
 protected:
  EnvironmentStore() {
    std::string pattern = testing::TempDir() + "store-XXXXXX";
    dir = ::mkdtemp(pattern.data());
  }
  ~EnvironmentStore() override { (void)os::remove_tree(dir); }

  EnvironmentId id(const std::string& requirements) const {
    return {Runtime::kPython, environment_key("default/demo", requirements), std::string(64, 'a')};
  }
  EnvironmentPlace place(const EnvironmentId& of) const {
    return EnvironmentPlace(dir, of.runtime, of.key);
  }
  EnvironmentId made(const std::string& requirements) {
    const EnvironmentId out = id(requirements);
    EXPECT_TRUE(os::make_dirs(place(out).built() + "/bin").ok());
    EXPECT_TRUE(os::write_file_atomic(place(out).built() + "/bin/activate", "").ok());
    EXPECT_TRUE(publish_environment(dir, out).ok());
    EXPECT_TRUE(lease(out)->has_value());
    return out;
  }
  Result<std::optional<EnvironmentLease>> lease(const EnvironmentId& of) {
    return lease_environment(dir, of, [this] { return clock.wall(); });
  }
  bool there(const EnvironmentId& of) const { return os::exists(place(of).path); }
  int64_t prune() { return *prune_environments(dir, clock.wall(), 14 * kDay); }

  std::string dir;
  ManualClock clock;
};

// proves: ORB-140
TEST_F(EnvironmentStore, WhatNobodyUsedFor14DaysIsRemovedHoweverOldTheRestIs) {
  const EnvironmentId old = made("old");
  const EnvironmentId used = made("used");
  clock.advance(13 * kDay);
  EXPECT_EQ(prune(), 0);
  { const auto user = lease(used); }
  clock.advance(2 * kDay);
  EXPECT_EQ(prune(), 1);
  EXPECT_FALSE(there(old));
  EXPECT_FALSE(os::exists(place(old).lock));
  EXPECT_TRUE(there(used));
}

// proves: ORB-140
TEST_F(EnvironmentStore, WhatIsInUseIsNeverRemovedAndCountsAsUsedWhenItsUserEnds) {
  const EnvironmentId busy = made("busy");
  std::optional<EnvironmentLease> user;
  user.emplace(std::move(**lease(busy)));
  clock.advance(15 * kDay);
  EXPECT_EQ(prune(), 0);
  user.reset();
  EXPECT_EQ(prune(), 0);
  clock.advance(15 * kDay);
  EXPECT_EQ(prune(), 1);
}

// proves: ORB-140
TEST_F(EnvironmentStore, ARunThatOutlivesItsAgentKeepsItsEnvironment) {
  const EnvironmentId busy = made("busy");
  const std::string name = (*lease(busy))->name();
  clock.advance(15 * kDay);
  const auto again = lease_again(dir, name, [this] { return clock.wall(); });
  ASSERT_TRUE(again.ok());
  clock.advance(15 * kDay);
  EXPECT_EQ(prune(), 0);
  EXPECT_TRUE(there(busy));
  EXPECT_FALSE(lease_again(dir, "venvs/../../etc", [] { return WallTime{}; }).ok());
}

TEST_F(EnvironmentStore, RoomIsMadeByWhatNobodyUsesAndOnlyWhenItIsNeeded) {
  const EnvironmentId idle = made("idle");
  const EnvironmentId busy = made("busy");
  const auto user = lease(busy);
  EXPECT_TRUE(*make_room(dir, 1));
  EXPECT_TRUE(there(idle));
  EXPECT_FALSE(*make_room(dir, int64_t{1} << 60));
  EXPECT_FALSE(there(idle));
  EXPECT_TRUE(there(busy));
}

TEST_F(EnvironmentStore, UsersShareAndABuilderIsAlone) {
  const EnvironmentId shared = made("shared");
  const auto one = lease(shared);
  const auto two = lease(shared);
  EXPECT_TRUE(one->has_value() && two->has_value());
  EXPECT_EQ(os::LockFile::acquire(place(shared).lock).error().reason, "LOCK_HELD");
  const auto builder = os::LockFile::acquire(place(id("new")).lock);
  EXPECT_EQ(lease(id("new")).error().reason, "LOCK_HELD");
}

TEST_F(EnvironmentStore, ABuildersLockBecomesALeaseThatOthersShare) {
  const EnvironmentId shared = made("shared");
  os::LockFile lock = *os::LockFile::acquire(place(shared).lock);
  const auto kept = keep_lease(shared, std::move(lock), [this] { return clock.wall(); });
  ASSERT_TRUE(kept.ok());
  EXPECT_TRUE(lease(shared)->has_value());
  EXPECT_FALSE(os::LockFile::acquire(place(shared).lock).ok());
}

TEST_F(EnvironmentStore, APruneThatWasCutShortLeavesNothingThatLooksLikeAHit) {
  const EnvironmentId half = made("half");
  ASSERT_EQ(::rename(place(half).path.c_str(), place(half).building.c_str()), 0);
  EXPECT_FALSE(lease(half)->has_value());
  sweep_environments(dir);
  EXPECT_FALSE(os::exists(place(half).building));
}

TEST_F(EnvironmentStore, ASweepRemovesWhatAKilledBuilderLeftAndNothingElse) {
  const EnvironmentId kept = made("kept");
  ASSERT_TRUE(os::make_dirs(place(id("killed")).built()).ok());
  sweep_environments(dir);
  EXPECT_FALSE(os::exists(place(id("killed")).building));
  EXPECT_TRUE(there(kept));
}

TEST_F(EnvironmentStore, TheLockOfAFailedBuildGoesToo) {
  const EnvironmentId never = id("never");
  EXPECT_FALSE(lease(never)->has_value());
  clock.skew_wall(SystemClock().wall() - clock.wall() + 15 * kDay);
  EXPECT_EQ(prune(), 0);
  EXPECT_FALSE(os::exists(place(never).lock));
}

}  // namespace
}  // namespace paddock::runtimes
