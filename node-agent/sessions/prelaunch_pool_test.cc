#include "node-agent/sessions/prelaunch_pool.h"

#include "node-agent/launch/attached_launch_fixture.h"

namespace paddock::sessions {
namespace {

class Ahead : public launch::Fed {
 protected:
  PrelaunchPool::Order order_one() {
    return [this](const std::string& uid) -> Result<launch::AttachedLaunch> {
      made_ += uid;
      auto out = order(1 << 20, true);
      launchers_[uid] = std::move(connection_);
      return out;
    };
  }
  Millis maintain() { return prelaunched_.maintain(order_one()); }
  // Whether the launcher of this session's last launch was left alone.
  bool ended(const std::string& uid) const {
    pollfd hears{launchers_.at(uid).get(), POLLIN, 0};
    return poll(&hears, 1, 0) > 0;
  }

  ManualClock clock_;
  launch::DeferredTeardown deferred_teardown_{clock_, 2};
  PrelaunchPool prelaunched_{deferred_teardown_, clock_};
  std::map<std::string, os::Fd> launchers_;
  std::string made_;
};

TEST_F(Ahead, IsMadeForWhoWasJustUsedAndTakenOnce) {
  EXPECT_FALSE(prelaunched_.take("a"));
  maintain();
  EXPECT_EQ(made_, "");
  prelaunched_.want("a");
  EXPECT_EQ(maintain(), Millis(0));
  EXPECT_EQ(maintain(), Millis(10'000));
  EXPECT_EQ(made_, "a");
  auto taken = prelaunched_.take("a");
  ASSERT_TRUE(taken);
  EXPECT_TRUE(taken->begin(Millis(1), "true").ok());
  EXPECT_FALSE(prelaunched_.take("a"));
  maintain();
  EXPECT_EQ(made_, "a");  // until the next use
}

TEST_F(Ahead, EndsWhenNobodyComesWhenItsSessionDoesAndWithItsLauncher) {
  prelaunched_.want("a");
  maintain();
  clock_.advance(Millis(10'000));
  maintain();
  EXPECT_TRUE(ended("a"));
  prelaunched_.want("b");
  maintain();
  prelaunched_.forget("b");
  EXPECT_TRUE(ended("b"));
  prelaunched_.want("c");
  maintain();
  prelaunched_.want("d");
  prelaunched_.maintain([&](const std::string& uid) {
    prelaunched_.discard();  // while one is being made
    prelaunched_.want(uid);
    return order_one()(uid);
  });
  EXPECT_TRUE(ended("c"));
  EXPECT_TRUE(ended("d")) << "it is of before";
}

TEST_F(Ahead, AreFewAndThoseThatAreThereStay) {
  for (const char* uid : {"1", "2", "3", "4", "5", "6", "7", "8", "9", "1"}) {
    prelaunched_.want(uid);
    while (maintain() == Millis(0)) {
    }
  }
  EXPECT_EQ(made_, "12345678");
  EXPECT_TRUE(prelaunched_.take("1"));
  prelaunched_.want("9");
  maintain();
  EXPECT_EQ(made_, "123456789");
}

TEST_F(Ahead, WaitsForWhoIsBeingAnswered) {
  auto alone = deferred_teardown_.begin();
  prelaunched_.want("a");
  EXPECT_EQ(maintain(), Millis(5));
  clock_.advance(Millis(5));
  auto second = deferred_teardown_.begin();
  EXPECT_EQ(maintain(), Millis(5)) << "no processor is left";
  EXPECT_EQ(made_, "");
}

TEST_F(Ahead, WhatHasEndedByItselfOrCouldNotBeMadeIsNotHandedOut) {
  prelaunched_.want("a");
  maintain();
  launchers_.clear();
  maintain();
  EXPECT_FALSE(prelaunched_.take("a"));
  prelaunched_.want("a");
  const auto fails = [](const std::string&) -> Result<launch::AttachedLaunch> {
    return Error{Code::kUnavailable, "NOT_LISTENING", "nobody is there"};
  };
  prelaunched_.maintain(fails);
  EXPECT_FALSE(prelaunched_.take("a"));
}

TEST_F(Ahead, WhoComesWhileItIsBeingMadeGetsItAndWhoHasEndedNothing) {
  std::thread taker;
  std::optional<launch::AttachedLaunch> taken;
  prelaunched_.want("a");
  prelaunched_.maintain([&](const std::string& uid) {
    taker = std::thread([&, uid] { taken = prelaunched_.take(uid); });
    return order_one()(uid);
  });
  taker.join();
  EXPECT_TRUE(taken);
  prelaunched_.want("b");
  prelaunched_.maintain([&](const std::string& uid) {
    prelaunched_.forget(uid);
    return order_one()(uid);
  });
  EXPECT_TRUE(ended("b"));
  EXPECT_FALSE(prelaunched_.take("b"));
}

}  // namespace
}  // namespace paddock::sessions
