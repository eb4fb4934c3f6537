// Tests of lanes: whose turn they end, and which call they carry.
#include "controller/calls/relay_fixture.h"

namespace paddock::calls {
namespace {

TEST_F(Relayed, WhatIsKnownOfANodeHoldsUntilThatNodeChanges) {
  const uint64_t seen = relay_.changes();
  EXPECT_FALSE(relay_.known_eligible("n1"));
  relay_.know_eligible("n1", seen, true);
  relay_.know_eligible("n2", seen, false);
  EXPECT_EQ(relay_.known_eligible("n1"), true);
  relay_.node_changed("n1");
  EXPECT_FALSE(relay_.known_eligible("n1"));
  EXPECT_EQ(relay_.known_eligible("n2"), false);
  relay_.nodes_changed();
  EXPECT_FALSE(relay_.known_eligible("n2"));
  relay_.know_eligible("n1", seen, true);  // somebody who looked before that
  EXPECT_FALSE(relay_.known_eligible("n1"));
}

// None of these waits looks by itself: the word alone ends it.
TEST_F(Relayed, ALaneEndsWhenItIsToldThatItsAgentIsGone) {
  Word word;
  std::thread agent([&] {
    wait_for_node();
    word.give();
  });
  EXPECT_FALSE(
      serve_here(
          relay_, {"n1", "process-1", 0}, request(), [] { return true; }, word.client(), clock_)
          ->call);
  agent.join();
}

// It has something else to say already, and a call comes before it has said so.
TEST_F(Relayed, ALaneCarriesTheCallThatItWasGivenLast) {
  auto asks = request();
  asks.holds = {"of-a-former-controller"};
  const auto lane = relay_
                        .open(
                            {"n1", "process-1", 0}, asks, [] { return true; }, clock_)
                        .value();
  const auto waker = std::make_shared<HeardWaker>();
  ASSERT_FALSE(lane->wait(waker)) << "it is told what to drop";
  std::thread caller = caller_of_n1();
  const auto told = lane->finish();
  EXPECT_TRUE(told.call);
  EXPECT_EQ(told.drop, std::vector<CallId>{"of-a-former-controller"});
  answer(told);
  caller.join();
}

// Its agent hung up before it could be told.
TEST_F(Relayed, ACallThatALaneCouldNotCarryGoesToTheNext) {
  auto lane = relay_
                  .open(
                      {"n1", "process-1", 0}, request(), [] { return true; }, clock_)
                  .value();
  std::thread caller = caller_of_n1();
  lane.reset();
  answer(serve(request()));
  caller.join();
}

// Its agent gave that request up and asks anew, before it has ended here.
TEST_F(Relayed, AnOlderRequestOfALaneActsForItNoMore) {
  const LaneKey key{"n1", "process-1", 0};
  const auto may = [] { return true; };
  auto older = relay_.open(key, request(), may, clock_).value();
  const auto waker = std::make_shared<HeardWaker>();
  ASSERT_TRUE(older->wait(waker));
  auto newer = relay_.open(key, request(), may, clock_).value();
  waker->wait(kLong);
  EXPECT_FALSE(older->wait(waker)) << "it has nothing to wait for";
  ASSERT_TRUE(newer->wait(std::make_shared<HeardWaker>()));
  std::thread caller = caller_of_n1();
  EXPECT_FALSE(older->finish().call);
  older.reset();
  const auto told = newer->finish();
  EXPECT_TRUE(told.call);
  answer(told);
  caller.join();
}

TEST_F(Relayed, ALaneAsksAnewWhenItsNodeChanges) {
  std::atomic<bool> cordoned{true};
  std::atomic<int> asked{0};
  Word word;
  std::thread lane([&] {
    const auto eligible = [&] {
      const bool may = !cordoned;
      ++asked;
      return may;
    };
    answer(serve_here(relay_, {"n1", "process-1", 0}, request(), eligible, word.client(), clock_));
  });
  while (asked == 0) std::this_thread::yield();
  relay_.node_changed("n2");
  cordoned = false;
  relay_.node_changed("n1");
  EXPECT_TRUE(relay_.call(options(kLong), clock_, random_).ok());
  lane.join();
  EXPECT_EQ(asked, 2);
}

TEST_F(Relayed, ALaneWhoseNodeChangesAsItsTimeEndsAsksOnceMoreAndEnds) {
  ManualClock clock;
  Word word;
  int asked = 0;
  const auto eligible = [&] {
    if (++asked == 1) {
      clock.advance(2 * kLong);
      relay_.node_changed("n1");
    }
    return true;
  };
  const auto told =
      serve_here(relay_, {"n1", "process-1", 0}, request(), eligible, word.client(), clock);
  ASSERT_TRUE(told.ok());
  EXPECT_FALSE(told->call);
  EXPECT_EQ(asked, 2);
}

// Where there is no thread to answer it, say. The call waits again, its node is gone as soon as one
// that was given nothing.
TEST_F(Relayed, ALaneThatIsGivenUpUnansweredTakesNoCallAlong) {
  constexpr Millis kGone{200};
  Relay relay({.gone_after = kGone, .slowest_link = 1});
  auto lane = relay
                  .open(
                      {"n1", "process-1", 0}, request(), [] { return true; }, clock_)
                  .value();
  const auto waker = std::make_shared<HeardWaker>();
  ASSERT_TRUE(lane->wait(waker));
  std::thread node([&] {
    waker->wait(kLong);
    lane.reset();
  });
  CallOptions wanted = options(kLong);
  wanted.bytes = 50'000;             // for so many milliseconds it might be on its way
  wanted.patience = Millis(20'000);  // less than that, and far more than kGone
  const auto answer = relay.call(std::move(wanted), clock_, random_);
  node.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().reason, "NO_NODE");
}

}  // namespace
}  // namespace paddock::calls
