#include "controller/calls/call_table.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/text.h"

namespace paddock::calls {
namespace {

using contracts::CallAnswer;
using contracts::CallsAnswer;
using contracts::CallsRequest;

class Calls : public testing::Test {
 protected:
  LaneKey lane(int64_t number, std::string session = "session-1") {
    return {"node-1", std::move(session), number};
  }
  CallsRequest request(const LaneKey& lane, std::optional<CallAnswer> answer = {}) {
    CallsRequest out;
    out.session = lane.session;
    out.generation = lane.session == "session-1" ? 1 : 2;
    out.lane = lane.lane;
    out.answer = std::move(answer);
    return out;
  }
  // The lane asks, and waits.
  Status open(const LaneKey& lane, std::optional<CallAnswer> answer = {}) {
    TRY(table_.open(lane, request(lane, std::move(answer)), wakes_));
    table_.set_eligible(lane, true, wakes_);
    return {};
  }
  // What it is told, if it is told something now.
  std::optional<CallsAnswer> told(const LaneKey& lane) {
    auto out = table_.poll(lane);
    if (out) table_.close(lane, now_, wakes_);
    return out;
  }
  Status submit(const CallId& id, std::string caller = {}) {
    return table_.submit(id, {"snippet", id, 1, {}, std::move(caller)}, now_, wakes_);
  }
  Status submit_to(const std::string& node, const CallId& id) {
    return table_.submit(id, {"k", id, 1, node}, now_, wakes_);
  }
  std::string outcome(const CallId& id) {
    const auto out = table_.take_outcome(id, now_);
    if (!out) return "waits";
    return out->ok() ? *(**out).string() : out->error().reason.str();
  }
  static CallAnswer done(const CallId& id) { return {id, cat("did ", id), std::nullopt}; }

  CallTable table_;
  MonoTime now_{};
  Wakes wakes_;
};

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
  table_.close(lane(0), now_, wakes_);
  EXPECT_TRUE(submit("b").ok());  // between two requests of its lane
  now_ = now_ + Millis(5'000);
  EXPECT_EQ(submit("c").error().reason, "NO_NODE");
}

TEST_F(Calls, GoesToItsOwnNodeAloneEvenWhereNothingElseMayGo) {
  const LaneKey other{"node-2", "session-1", 0};
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
  table_.pass_on(lane(0, "session-0"), {{"a", 4, "of another process"}}, wakes_);
  table_.pass_on({"node-2", "session-1", 0}, {{"a", 4, "of another node"}}, wakes_);
  std::string all;
  for (const wire::Value& piece : table_.take_pieces("a")) all += *piece.string();
  EXPECT_EQ(all, "xyz");
  EXPECT_TRUE(table_.take_pieces("a").empty());
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

TEST_F(Calls, ANodeThatIsSentMuchHasTimeToGetIt) {
  constexpr size_t kMuch = 8 << 20;
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(table_.submit("much", {"k", "much", kMuch, lane(0).node}, now_, wakes_).ok());
  ASSERT_TRUE(told(lane(0)));
  ASSERT_TRUE(submit_to(lane(0).node, "other").ok());
  now_ = now_ + Millis(20'000);
  EXPECT_EQ(outcome("much"), "waits");
  EXPECT_EQ(outcome("other"), "waits");
  now_ = now_ + Millis(20'000);
  EXPECT_EQ(outcome("much"), "NODE_LOST");
}

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
  table_.close(lane(0), now_, wakes_);  // its agent hung up meanwhile
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
  ASSERT_TRUE(open(lane(0, "session-2")).ok());
  EXPECT_EQ(told(lane(0, "session-2"))->call->id, "a");
}

TEST_F(Calls, OneThatNoAnswerCarriedAndThatWasStoppedIsNotBegun) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(table_.stop("a", wakes_).ok());
  table_.close(lane(0), now_, wakes_);
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
      table_.close(lane(0), now_, wakes_);
      EXPECT_EQ(outcome("a"), "CALL_CANCELED");
    }
    table_.close(lane(0), now_, wakes_);
    table_.close(lane(1), now_, wakes_);
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
  ASSERT_TRUE(open(lane(0, "session-2")).ok());
  EXPECT_EQ(outcome("a"), "NODE_LOST");
  EXPECT_EQ(open(lane(0), done("a")).error().reason, "SESSION_SUPERSEDED");
}

TEST_F(Calls, ANodeThatFallsSilentLosesItsCalls) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  now_ = now_ + Millis(2'000);
  EXPECT_EQ(outcome("a"), "waits");
  now_ = now_ + Millis(2'000);
  EXPECT_EQ(outcome("a"), "NODE_LOST");
}

// Its lanes may come late where its host has much else to do.
TEST_F(Calls, ANodeThatSendsPartsOfAnAnswerHasNotFallenSilent) {
  ASSERT_TRUE(open(lane(0)).ok());
  ASSERT_TRUE(submit("a").ok());
  ASSERT_TRUE(told(lane(0)));
  for (int i = 0; i < 5; ++i) {
    now_ = now_ + Millis(2'000);
    table_.hear(lane(9), now_);
    EXPECT_EQ(outcome("a"), "waits");
  }
  table_.hear(lane(9), MonoTime{});  // what was said before takes nothing back
  now_ = now_ + Millis(2'000);
  table_.hear(lane(9, "session-0"), now_);  // a process that was replaced
  table_.hear({"node-2", "session-1", 0}, now_);
  EXPECT_EQ(outcome("a"), "waits");
  now_ = now_ + Millis(2'000);
  EXPECT_EQ(outcome("a"), "NODE_LOST");
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

// A node whose requests and answers are lost, repeated and late. Whatever happens to them, no call
// is done twice, every caller hears one outcome, and what it hears is true.
class Unreliable {
 public:
  explicit Unreliable(uint64_t seed) : random_(seed) {}

  void play() {
    for (step_ = 0; step_ < 2'000; ++step_) {
      now_ = now_ + Millis(static_cast<int64_t>(next() % 40));
      switch (next() % 6) {
        case 0:
          caller_asks();
          break;
        case 1:
          caller_leaves();
          break;
        case 2:
          agent_restarts();
          break;
        default:
          lane_turns(static_cast<int64_t>(next() % kLanes));
      }
      callers_look();
    }
  }
  size_t heard_ = 0;

 private:
  static constexpr int64_t kLanes = 3;
  struct Lane {
    std::optional<CallAnswer> answer;
    std::optional<CallsRequest> late;  // a copy of a request that comes again
    LaneKey late_key;
  };
  uint64_t next() {
    std::array<uint8_t, 8> bytes{};
    random_.fill(bytes);
    uint64_t out = 0;
    for (const uint8_t byte : bytes) out = out << 8 | byte;
    return out;
  }
  bool chance(uint64_t percent) { return next() % 100 < percent; }
  LaneKey key(int64_t number) const { return {"node", cat("session-", session_), number}; }

  void caller_asks() {
    const CallId id = cat("call-", ++made_);
    Wakes wakes;
    if (table_.submit(id, {"snippet", id, 1}, now_, wakes).ok()) waiting_.insert(id);
  }
  void caller_leaves() {
    if (waiting_.empty() || chance(70)) return;
    Wakes wakes;
    table_.cancel(*waiting_.begin(), wakes);
    waiting_.erase(waiting_.begin());
  }
  void agent_restarts() {
    if (!chance(5)) return;
    ++session_;
    for (Lane& lane : lanes_) lane.answer.reset();  // whatever it did is forgotten with it
  }
  void lane_turns(int64_t number) {
    Lane& lane = lanes_[static_cast<size_t>(number)];
    if (lane.late && chance(30)) send(lane.late_key, *lane.late);  // nobody reads what comes back
    CallsRequest request;
    request.session = key(number).session;
    request.generation = session_;
    request.lane = number;
    request.answer = lane.answer;
    if (chance(10)) return;  // lost on its way there: the lane says it again
    if (chance(20)) {
      lane.late = request;
      lane.late_key = key(number);
    }
    const auto told = send(key(number), request);
    if (chance(10)) return;  // the answer is lost: again
    if (!told) return;
    lane.answer.reset();
    if (told->call) lane.answer = work(*told->call);
  }
  std::optional<CallsAnswer> send(const LaneKey& lane, const CallsRequest& request) {
    Wakes wakes;
    if (!table_.open(lane, request, wakes).ok()) return std::nullopt;
    table_.set_eligible(lane, true, wakes);
    auto out = table_.poll(lane);
    table_.close(lane, now_, wakes);
    return out ? out : CallsAnswer{};
  }
  CallAnswer work(const contracts::NodeCall& call) {
    EXPECT_TRUE(done_.insert(call.id).second) << call.id << " was given twice";
    return {call.id, cat("did ", call.id), std::nullopt};
  }
  void callers_look() {
    for (auto each = waiting_.begin(); each != waiting_.end();) {
      const auto outcome = table_.take_outcome(*each, now_);
      if (!outcome) {
        ++each;
        continue;
      }
      ++heard_;
      if (outcome->ok()) {
        EXPECT_EQ((*outcome)->string() ? *(*outcome)->string() : "", cat("did ", *each));
        EXPECT_TRUE(done_.contains(*each)) << *each << " was never done";
      }
      each = waiting_.erase(each);
    }
  }

  CallTable table_;
  SeededRandom random_;
  MonoTime now_{};
  int step_ = 0;
  int made_ = 0;
  int64_t session_ = 1;
  std::array<Lane, kLanes> lanes_;
  std::set<CallId> waiting_;
  std::set<CallId> done_;
};

TEST(UnreliableCalls, AreDoneAtMostOnceAndToldOnce) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Unreliable world(seed);
    world.play();
    EXPECT_GT(world.heard_, 50u) << "seed " << seed;
  }
}

}  // namespace
}  // namespace paddock::calls
