// Calls whose requests or answers do not arrive, and those that are given up or lose their node.
#include "controller/calls/call_table_test_support.h"

namespace paddock::calls {
namespace {

TEST_F(Calls, ALaneThatComesBackWithoutItsAnswerHasLostTheCall) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  ASSERT_TRUE(open(lane(0)).ok());
  EXPECT_EQ(outcome("a"), "CALL_LOST");
  EXPECT_FALSE(told(lane(0)));  // and is given to nobody again
}

TEST_F(Calls, OneThatNoAnswerCarriedGoesToAnotherLane) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  table_.close(lane(0), CallTable::RequestEnd::kHungUp, now_,
               wakes_);  // its agent hung up meanwhile
  EXPECT_EQ(outcome("a"), "waits");
  ASSERT_TRUE(open(lane(1)).ok());
  EXPECT_EQ(told(lane(1))->call->id, "a");
  ASSERT_TRUE(open(lane(0)).ok());  // which had it first
  EXPECT_EQ(outcome("a"), "waits");
}

// Its agent asks anew before the request that it gave up has ended here.
TEST_F(Calls, OneThatNoAnswerCarriedIsGivenToTheSameLaneAgain) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(open(lane(0)).ok());
  EXPECT_EQ(told(lane(0))->call->id, "a");
}

TEST_F(Calls, OneThatNoAnswerCarriedOutlivesItsAgent) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(open(lane(0, "process-2")).ok());
  EXPECT_EQ(told(lane(0, "process-2"))->call->id, "a");
}

TEST_F(Calls, OneThatNoAnswerCarriedAndThatWasStoppedIsNotBegun) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(table_.stop("a", wakes_).ok());
  table_.close(lane(0), CallTable::RequestEnd::kAnswered, now_, wakes_);
  EXPECT_EQ(outcome("a"), "CALL_CANCELED");
}

// Its node hears of the stop by another lane, before it has the call.
TEST_F(Calls, OneThatWasStoppedStaysSoWhoeverHasHeardIt) {
  for (const bool carried : {false, true}) {
    ASSERT_TRUE(open(lane(0)).ok());
    ASSERT_TRUE(submit("a").ok());
    ASSERT_TRUE(table_.stop("a", wakes_).ok());
    ASSERT_TRUE(open(lane(1)).ok());
    ASSERT_EQ(told(lane(1))->drop, std::vector<CallId>{"a"});
    auto hears = request(lane(1));
    hears.dropped = {"a"};
    ASSERT_TRUE(table_.open(lane(1), hears, wakes_).ok());
    if (carried) {
      const auto answer = told(lane(0));
      EXPECT_EQ(answer->call->id, "a");
      EXPECT_EQ(answer->drop, std::vector<CallId>{"a"});
      ASSERT_TRUE(open(lane(0), done("a")).ok());
      EXPECT_EQ(outcome("a"), "did a");
    } else {
      table_.close(lane(0), CallTable::RequestEnd::kAnswered, now_, wakes_);
      EXPECT_EQ(outcome("a"), "CALL_CANCELED");
    }
    table_.close(lane(0), CallTable::RequestEnd::kAnswered, now_, wakes_);
    table_.close(lane(1), CallTable::RequestEnd::kAnswered, now_, wakes_);
  }
}

TEST_F(Calls, AnAnswerThatIsRepeatedChangesNothing) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  ASSERT_TRUE(open(lane(0), done("a")).ok());
  ASSERT_TRUE(open(lane(0), done("a")).ok());
  EXPECT_EQ(outcome("a"), "did a");
  EXPECT_EQ(outcome("a"), "CALL_LOST");  // told once
}

TEST_F(Calls, AnAnswerToSomebodyElsesCallIsNone) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(open(lane(1)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(1)));
  ASSERT_TRUE(open(lane(0), done("a")).ok());
  EXPECT_EQ(outcome("a"), "waits");
}

TEST_F(Calls, ACanceledCallIsDroppedByItsNode) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  ASSERT_TRUE(open(lane(1)).ok());
  wakes_ = {};
  table_.cancel("a", wakes_);
  EXPECT_EQ(wakes_.lanes, std::vector{lane(1)});
  const auto news = told(lane(1));
  ASSERT_TRUE(news);
  EXPECT_EQ(news->drop, std::vector<CallId>{"a"});
  CallsRequest heard = request(lane(1));
  heard.dropped = {"a"};
  ASSERT_TRUE(table_.open(lane(1), heard, wakes_).ok());
  EXPECT_FALSE(told(lane(1)));
  ASSERT_TRUE(open(lane(0), done("a")).ok());  // too late, and nobody's
  EXPECT_EQ(outcome("a"), "CALL_LOST");
}

TEST_F(Calls, OneThatStillWaitsIsSimplyGone) {
  ASSERT_TRUE(open(lane(0)).ok());
  table_.set_eligible(lane(0), false, wakes_);
  ASSERT_TRUE(submit("a").ok());
  EXPECT_TRUE(table_.waits("a"));
  table_.cancel("a", wakes_);
  table_.set_eligible(lane(0), true, wakes_);
  EXPECT_FALSE(told(lane(0)));
}

TEST_F(Calls, ANewAgentProcessEndsWhatTheOldOneHad) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  ASSERT_TRUE(open(lane(0, "process-2")).ok());
  EXPECT_EQ(outcome("a"), "NODE_LOST");
  EXPECT_EQ(open(lane(0), done("a")).error().reason, "SESSION_SUPERSEDED");
}

TEST_F(Calls, ANodeThatFallsSilentLosesItsCalls) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  now_ = now_ + Millis(10'000);
  EXPECT_EQ(outcome("a"), "waits");
  now_ = now_ + Millis(10'000);
  EXPECT_EQ(outcome("a"), "NODE_LOST");
}

// Its lanes may come late where its host has much else to do.
TEST_F(Calls, ANodeThatSendsPartsOfAnAnswerHasNotFallenSilent) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  for (int i = 0; i < 5; ++i) {
    now_ = now_ + Millis(10'000);
    table_.hear(lane(9), now_);
    EXPECT_EQ(outcome("a"), "waits");
  }
  table_.hear(lane(9), MonoTime{});  // what was said before takes nothing back
  now_ = now_ + Millis(10'000);
  table_.hear(lane(9, "process-0"), now_);  // a process that was replaced
  table_.hear({"node-2", "process-1", 0}, now_);
  EXPECT_EQ(outcome("a"), "waits");
  now_ = now_ + Millis(10'000);
  EXPECT_EQ(outcome("a"), "NODE_LOST");
}

}  // namespace
}  // namespace paddock::calls
