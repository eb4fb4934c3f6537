#include "node-agent/sessions/ahead.h"

#include "node-agent/launch/fed_launch_fixture.h"

namespace paddock::sessions {
namespace {

class Ahead : public launch::Fed {
 protected:
  AheadLaunches::Order order_one() {
    return [this](const std::string& uid) -> Result<launch::FedLaunch> {
      made_ += uid;
      auto out = order(1 << 20, true);
      launchers_[uid] = std::move(connection_);
      return out;
    };
  }
  Millis tend() { return ahead_.tend(order_one()); }
  // Whether the launcher of this session's last launch was left alone.
  bool ended(const std::string& uid) const {
    pollfd hears{launchers_.at(uid).get(), POLLIN, 0};
    return poll(&hears, 1, 0) > 0;
  }

  ManualClock clock_;
  launch::HeadStart head_start_{clock_, 2};
  AheadLaunches ahead_{head_start_, clock_};
  std::map<std::string, os::Fd> launchers_;
  std::string made_;
};

TEST_F(Ahead, IsMadeForWhoWasJustUsedAndTakenOnce) {
  EXPECT_FALSE(ahead_.take("a"));
  tend();
  EXPECT_EQ(made_, "");
  ahead_.want("a");
  EXPECT_EQ(tend(), Millis(0));
  EXPECT_EQ(tend(), Millis(10'000));
  EXPECT_EQ(made_, "a");
  auto taken = ahead_.take("a");
  ASSERT_TRUE(taken);
  EXPECT_TRUE(taken->begin(Millis(1), "true").ok());
  EXPECT_FALSE(ahead_.take("a"));
  tend();
  EXPECT_EQ(made_, "a");  // until the next use
}

TEST_F(Ahead, EndsWhenNobodyComesWhenItsSessionDoesAndWithItsLauncher) {
  ahead_.want("a");
  tend();
  clock_.advance(Millis(10'000));
  tend();
  EXPECT_TRUE(ended("a"));
  ahead_.want("b");
  tend();
  ahead_.forget("b");
  EXPECT_TRUE(ended("b"));
  ahead_.want("c");
  tend();
  ahead_.want("d");
  ahead_.tend([&](const std::string& uid) {
    ahead_.discard();  // while one is being made
    ahead_.want(uid);
    return order_one()(uid);
  });
  EXPECT_TRUE(ended("c"));
  EXPECT_TRUE(ended("d")) << "it is of before";
}

TEST_F(Ahead, AreFewAndThoseThatAreThereStay) {
  for (const char* uid : {"1", "2", "3", "4", "5", "6", "7", "8", "9", "1"}) {
    ahead_.want(uid);
    while (tend() == Millis(0)) {
    }
  }
  EXPECT_EQ(made_, "12345678");
  EXPECT_TRUE(ahead_.take("1"));
  ahead_.want("9");
  tend();
  EXPECT_EQ(made_, "123456789");
}

TEST_F(Ahead, WaitsForWhoIsBeingAnswered) {
  auto alone = head_start_.begin();
  ahead_.want("a");
  EXPECT_EQ(tend(), Millis(5));
  clock_.advance(Millis(5));
  auto second = head_start_.begin();
  EXPECT_EQ(tend(), Millis(5)) << "no processor is left";
  EXPECT_EQ(made_, "");
}

TEST_F(Ahead, WhatHasEndedByItselfOrCouldNotBeMadeIsNotHandedOut) {
  ahead_.want("a");
  tend();
  launchers_.clear();
  tend();
  EXPECT_FALSE(ahead_.take("a"));
  ahead_.want("a");
  const auto fails = [](const std::string&) -> Result<launch::FedLaunch> {
    return Error{Code::kUnavailable, "NOT_LISTENING", "nobody is there"};
  };
  ahead_.tend(fails);
  EXPECT_FALSE(ahead_.take("a"));
}

TEST_F(Ahead, WhoComesWhileItIsBeingMadeGetsItAndWhoHasEndedNothing) {
  std::thread taker;
  std::optional<launch::FedLaunch> taken;
  ahead_.want("a");
  ahead_.tend([&](const std::string& uid) {
    taker = std::thread([&, uid] { taken = ahead_.take(uid); });
    return order_one()(uid);
  });
  taker.join();
  EXPECT_TRUE(taken);
  ahead_.want("b");
  ahead_.tend([&](const std::string& uid) {
    ahead_.forget(uid);
    return order_one()(uid);
  });
  EXPECT_TRUE(ended("b"));
  EXPECT_FALSE(ahead_.take("b"));
}

}  // namespace
}  // namespace paddock::sessions
