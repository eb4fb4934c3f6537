#include "controller/calls/relay.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace paddock::calls {
namespace {

constexpr Millis kLong{60'000};

// A client who says that he is gone, and is asked for that by nobody.
class Word {
 public:
  DisconnectToken client() {
    return {[this] { return !given_; },
            [this](std::function<void()> wake) {
              wake_.with([&](auto& kept) { kept = wake; });
              if (given_) wake();
              return std::make_shared<int>();
            }};
  }
  void give() {
    given_ = true;
    if (const auto wake = wake_.with([](auto& kept) { return kept; })) wake();
  }

 private:
  std::atomic<bool> given_{false};
  Guarded<std::function<void()>> wake_;
};

class Relayed : public testing::Test {
 protected:
  static contracts::CallsRequest request() {
    contracts::CallsRequest out;
    out.session = "session-1";
    out.wait_ms = kLong.count();
    out.snippets.emplace();
    out.snippets->enabled = true;
    out.snippets->parallel = 4;
    return out;
  }
  Result<contracts::CallsAnswer> serve(const contracts::CallsRequest& request) {
    return relay_.serve(
        {"n1", "session-1", 0}, request, [] { return true; }, {[&] { return !over_; }, {}}, clock_);
  }
  // The lane comes back with an answer to what it was told to do.
  void answer(const Result<contracts::CallsAnswer>& told) {
    ASSERT_TRUE(told.ok() && told->call);
    auto asks = request();
    asks.answer = contracts::CallAnswer{told->call->id, "done", {}};
    asks.wait_ms = 0;
    ASSERT_TRUE(serve(asks).ok());
  }
  void wait_for_node() {
    while (relay_.skills(clock_).empty()) std::this_thread::yield();
  }
  CallOptions options(Millis queue_patience) {
    CallOptions out;
    out.caller = "a";
    out.kind = contracts::kSnippetCall;
    out.payload = "do it";
    out.patience = kLong;
    out.queue_patience = queue_patience;
    out.holder = &holder_;
    return out;
  }

  Relay relay_;
  SystemClock clock_;
  SystemRandom random_;
  std::atomic<bool> over_{false};
  std::string holder_;
};

TEST_F(Relayed, WhatIsKnownOfANodeHoldsUntilThatNodeChanges) {
  const uint64_t seen = relay_.changes();
  EXPECT_FALSE(relay_.known_eligible("n1"));
  relay_.know_eligible("n1", seen, true);
  relay_.know_eligible("n2", seen, false);
  EXPECT_EQ(relay_.known_eligible("n1"), true);
  relay_.node_changed("n1");
  EXPECT_FALSE(relay_.known_eligible("n1"));
  EXPECT_EQ(relay_.known_eligible("n2"), false);
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
      relay_
          .serve(
              {"n1", "session-1", 0}, request(), [] { return true; }, word.client(), clock_)
          ->call);
  agent.join();
}

TEST_F(Relayed, ACallerThatHangsUpIsWaitedForNoLonger) {
  Word word;
  std::thread lane([&] { (void)serve(request()); });
  wait_for_node();
  std::thread caller([&] {
    while (relay_.load(clock_).running == 0) std::this_thread::yield();
    word.give();
  });
  CallOptions wanted = options(kLong);
  wanted.client = word.client();
  const auto answer = relay_.call(std::move(wanted), clock_, random_);
  caller.join();
  lane.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().reason, "CALLER_GONE");
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
    answer(relay_.serve({"n1", "session-1", 0}, request(), eligible, word.client(), clock_));
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
  const auto told = relay_.serve({"n1", "session-1", 0}, request(), eligible, word.client(), clock);
  ASSERT_TRUE(told.ok());
  EXPECT_FALSE(told->call);
  EXPECT_EQ(asked, 2);
}

TEST_F(Relayed, ACallGoesToANodeAndBackAndItsHolderIsTold) {
  std::thread lane([&] { answer(serve(request())); });
  wait_for_node();
  const auto answer = relay_.call(options(kLong), clock_, random_);
  lane.join();
  ASSERT_TRUE(answer.ok()) << answer.error().describe();
  EXPECT_EQ(*answer->string(), "done");
  EXPECT_EQ(holder_, "n1");
}

TEST_F(Relayed, WhatIsDoneMeanwhileIsDoneOnceWhileTheNodeIsAtWork) {
  std::atomic<int> times{0};
  std::thread lane([&] {
    const auto told = serve(request());
    ASSERT_TRUE(told.ok() && told->call);
    while (times == 0) std::this_thread::yield();  // it is not waited for
    answer(told);
  });
  wait_for_node();
  CallOptions wanted = options(kLong);
  wanted.meanwhile = [&] { ++times; };
  EXPECT_TRUE(relay_.call(std::move(wanted), clock_, random_).ok());
  lane.join();
  EXPECT_EQ(times, 1);
}

// Right after a start its lanes may not be open yet.
TEST_F(Relayed, ACallAwaitsANodeThatIsAboutToCome) {
  std::thread lane([&] {
    while (relay_.load(clock_).waiting == 0) std::this_thread::yield();
    answer(serve(request()));
  });
  CallOptions asked = options(kLong);
  asked.arrival_patience = kLong;
  const auto done = relay_.call(std::move(asked), clock_, random_);
  EXPECT_TRUE(done.ok()) << done.error().describe();
  lane.join();
}

TEST_F(Relayed, ACallThatOneNodeAloneCanDoAwaitsItToo) {
  std::atomic<bool> waiting{false};
  std::thread lane([&] {
    while (!waiting) std::this_thread::yield();
    answer(serve(request()));
  });
  CallOptions asked = options(kLong);
  asked.node = "n1";
  asked.arrival_patience = kLong;
  asked.meanwhile = [&] { waiting = true; };
  const auto done = relay_.call(std::move(asked), clock_, random_);
  EXPECT_TRUE(done.ok()) << done.error().describe();
  lane.join();
}

TEST_F(Relayed, ACallThatNoNodeComesForIsToldSo) {
  for (const std::string& node : {std::string(), std::string("n1")}) {
    CallOptions asked = options(kLong);
    asked.node = node;
    asked.arrival_patience = Millis(1);
    EXPECT_EQ(relay_.call(std::move(asked), clock_, random_).error().reason, "NO_NODE") << node;
  }
}

TEST_F(Relayed, ANodeThatTakesNothingMoreIsBusyAndNotAbsent) {
  std::thread lane([&] {
    auto asks = request();
    asks.takes = false;
    (void)serve(asks);
  });
  wait_for_node();
  while (relay_.load(clock_).places == 0) std::this_thread::yield();
  const auto answer = relay_.call(options(Millis(0)), clock_, random_);
  over_ = true;
  lane.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().reason, "NODES_BUSY");
  EXPECT_EQ(answer.error().code, Code::kResourceExhausted);
  EXPECT_EQ(holder_, "");
  EXPECT_EQ(relay_.load(clock_).waiting, 0u);
}

}  // namespace
}  // namespace paddock::calls
