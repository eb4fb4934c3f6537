#include "controller/calls/call_table.h"

#include "controller/calls/call_table_test_support.h"

namespace paddock::calls {
namespace {

TEST_F(Calls, GoesToALaneThatWaitsAndBack) {
  ASSERT_TRUE(open(lane(0)).ok());
  EXPECT_FALSE(told(lane(0)));
  ASSERT_TRUE(submit("a").ok());
  EXPECT_EQ(wakes_.lanes, std::vector{lane(0)});
  const auto given = told(lane(0));
  ASSERT_TRUE(given && given->call);
  EXPECT_EQ(given->call->id, "a");
  EXPECT_EQ(outcome("a"), "waits");
  ASSERT_TRUE(open(lane(0), done("a")).ok());
  EXPECT_EQ(wakes_.callers, std::vector<CallId>{"a"});
  EXPECT_EQ(outcome("a"), "did a");
}

// A hostile node names calls that nobody gave it: what is kept of them is bounded.
TEST_F(Calls, AreForgottenWhereTooManyAreNamedThatNobodyGave) {
  CallsRequest asked = request(lane(0));
  for (int round = 0; round < 5; ++round) {
    asked.holds.assign(1, std::string(40'000, 'x'));
    for (int i = 0; i < 1000; ++i) asked.holds.push_back(cat("unknown-", round, "-", i));
    ASSERT_TRUE(table_.open(lane(0), asked, wakes_).ok());
  }
  const auto answer = table_.poll(lane(0));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->drop.size(), 2048u);
}

TEST_F(Calls, SaysAtOnceThatNoNodeIsThere) {
  EXPECT_EQ(submit("a").error().reason, "NO_NODE");
  ASSERT_TRUE(open(lane(0)).ok());
  table_.close(lane(0), CallTable::RequestEnd::kAnswered, now_, wakes_);
  EXPECT_TRUE(submit("b").ok());  // between two requests of its lane
  now_ = now_ + Millis(14'999);   // which a busy host lets wait
  EXPECT_TRUE(submit("c").ok());
  now_ = now_ + Millis(1);
  EXPECT_EQ(submit("d").error().reason, "NO_NODE");
}

TEST_F(Calls, AnAgentThatHangsUpIsMissedSoonerThanOneThatIsSilent) {
  ASSERT_TRUE(open(lane(0)).ok());
  table_.close(lane(0), CallTable::RequestEnd::kHungUp, now_, wakes_);
  now_ = now_ + Millis(2'999);
  EXPECT_TRUE(submit("a").ok());
  now_ = now_ + Millis(1);
  EXPECT_EQ(submit("b").error().reason, "NO_NODE");
}

TEST_F(Calls, GoesToItsOwnNodeAloneEvenWhereNothingElseMayGo) {
  const LaneKey other{"node-2", "process-1", 0};
  ASSERT_TRUE(open(other).ok());
  EXPECT_EQ(submit_to("node-1", "a").error().reason, "NO_NODE");
  ASSERT_TRUE(table_.open(lane(0), request(lane(0)), wakes_).ok());  // cordoned: never eligible
  ASSERT_TRUE(submit_to("node-1", "a").ok());
  ASSERT_TRUE(submit("b").ok());
  EXPECT_EQ(told(lane(0))->call->id, "a");
  EXPECT_EQ(told(other)->call->id, "b");
}

TEST_F(Calls, ALaneWithoutRoomForSnippetsTakesItsOwn) {
  CallsRequest asked = request(lane(0));
  asked.takes_snippets = false;
  ASSERT_TRUE(table_.open(lane(0), asked, wakes_).ok());
  table_.set_eligible(lane(0), true, wakes_);
  ASSERT_TRUE(submit("b").ok());
  EXPECT_FALSE(told(lane(0)));
  ASSERT_TRUE(submit_to("node-1", "a").ok());
  EXPECT_EQ(told(lane(0))->call->id, "a");
  EXPECT_TRUE(table_.waits("b"));
}

TEST_F(Calls, PiecesComeOnceAndInOrderWhateverIsSentAgain) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  table_.pass_on(lane(9), {{"a", 1, "x"}, {"a", 2, "y"}}, wakes_);
  table_.pass_on(lane(9), {{"a", 2, "y"}, {"a", 3, "z"}}, wakes_);
  table_.pass_on(lane(0, "process-0"), {{"a", 4, "of another process"}}, wakes_);
  table_.pass_on({"node-2", "process-1", 0}, {{"a", 4, "of another node"}}, wakes_);
  std::string all;
  for (const wire::Value& piece : table_.take_pieces("a")) all += *piece.string();
  EXPECT_EQ(all, "xyz");
  EXPECT_TRUE(table_.take_pieces("a").empty());
}

// For a caller that takes nothing, or takes output and does not write it on, no more is kept.
TEST_F(Calls, PiecesAreWeighedWhateverTheyAreOf) {
  const std::string large(1 << 20, 'x');
  constexpr int64_t kMost = 4;
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  int64_t sent = 0;
  const auto fill = [&] {
    while (sent < 100 && table_.has_room("a")) {
      const contracts::CallPiece piece{"a", ++sent, large};
      table_.pass_on(lane(9), {piece}, wakes_);
    }
  };
  fill();
  EXPECT_EQ(sent, kMost);
  EXPECT_EQ(table_.take_pieces("a").size(), size_t{kMost});
  EXPECT_FALSE(table_.has_room("a")) << "they are not written yet";
  table_.note_written("a");
  fill();
  EXPECT_EQ(sent, 2 * kMost);
  ASSERT_TRUE(open(lane(0), done("a")).ok());
  EXPECT_EQ(outcome("a"), "did a");
}

TEST_F(Calls, ManySmallPiecesWeighWhatTheyTake) {
  const wire::Value small = wire::Value::Object{{"stream", "stdout"}, {"data", "eA=="}};
  EXPECT_GE(weight_of(small), 3 * sizeof(wire::Value) + 2 * sizeof(std::string));
  EXPECT_GE(weight_of(wire::Value(wire::Value::Array(1'000, small))), 1'000 * weight_of(small));
}

// proves: WSM-17
TEST_F(Calls, OneThatIsStoppedIsStillWaitedFor) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  ASSERT_TRUE(open(lane(1)).ok());
  ASSERT_TRUE(table_.stop("a", wakes_).ok());
  EXPECT_EQ(told(lane(1))->drop, std::vector<CallId>{"a"});
  EXPECT_EQ(outcome("a"), "waits");
  ASSERT_TRUE(open(lane(0), done("a")).ok());
  EXPECT_EQ(outcome("a"), "did a");
  EXPECT_EQ(table_.stop("a", wakes_).error().reason, "CALL_NOT_FOUND");
}

TEST_F(Calls, OneThatIsStoppedBeforeItBeganNeverBegins) {
  ASSERT_TRUE(open(lane(0)).ok());
  table_.set_eligible(lane(0), false, wakes_);
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(table_.stop("a", wakes_).ok());
  EXPECT_EQ(outcome("a"), "CALL_CANCELED");
  table_.set_eligible(lane(0), true, wakes_);
  EXPECT_FALSE(told(lane(0)));
}

TEST_F(Calls, AFailureThatDoesNotPassKeepsItsKind) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  CallAnswer answer{
      "a", {}, contracts::CallFailure{"GONE", "it is", contracts::FailureKind::kNotFound}};
  ASSERT_TRUE(open(lane(0), answer).ok());
  const auto out = table_.take_outcome("a", now_);
  ASSERT_TRUE(out && !out->ok());
  EXPECT_EQ(out->error().code, Code::kNotFound);
}

// As that one of its folders is not there: nothing of what was asked for.
TEST_F(Calls, WhatTheNodesSystemRefusedMayPass) {
  using enum contracts::FailureKind;
  ASSERT_TRUE(open(lane(0)).ok());
  for (const auto& [kind, code] :
       {std::pair(kNotFound, Code::kUnavailable), std::pair(kExists, Code::kUnavailable),
        std::pair(kExhausted, Code::kResourceExhausted)}) {
    ASSERT_TRUE(submit("a").ok());
    ASSERT_TRUE(told(lane(0)));
    CallAnswer answer{"a", {}, contracts::CallFailure{"SYSTEM_ERROR", "opening x", kind}};
    ASSERT_TRUE(open(lane(0), answer).ok());
    const auto out = table_.take_outcome("a", now_);
    ASSERT_TRUE(out && !out->ok());
    EXPECT_EQ(out->error().code, code);
  }
}

TEST_F(Calls, ANodeThatIsSentMuchHasTimeToGetIt) {
  constexpr size_t kMuch = 8 << 20;
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(table_.submit("much", {"k", "much", kMuch, lane(0).node}, now_, wakes_).ok());
  ASSERT_TRUE(told(lane(0)));
  ASSERT_TRUE(submit_to(lane(0).node, "other").ok());
  now_ = now_ + Millis(40'000);
  EXPECT_EQ(outcome("much"), "waits");
  EXPECT_EQ(outcome("other"), "waits");
  now_ = now_ + Millis(20'000);
  EXPECT_EQ(outcome("much"), "NODE_LOST");
}

TEST_F(Calls, WhatWaitsIsBounded) {
  table_ = CallTable({.waiting_calls = 2, .waiting_bytes = 10});
  ASSERT_TRUE(open(lane(0)).ok());
  table_.set_eligible(lane(0), false, wakes_);
  EXPECT_TRUE(submit("a").ok());
  EXPECT_EQ(table_.submit("big", {"snippet", {}, 10}, now_, wakes_).error().reason,
            "TOO_MANY_CALLS");
  EXPECT_TRUE(submit("b").ok());
  EXPECT_EQ(submit("c").error().reason, "TOO_MANY_CALLS");
}

}  // namespace
}  // namespace paddock::calls
