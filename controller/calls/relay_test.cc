#include "controller/calls/relay.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace paddock::calls {
namespace {

constexpr Millis kLong{60'000};

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
        {"n1", "session-1", 0}, request, [] { return true; }, [&] { return !over_; }, clock_);
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

TEST_F(Relayed, WhatIsKnownOfANodeHoldsForItsVersionAlone) {
  EXPECT_FALSE(relay_.known_eligible("n1", 7));
  relay_.know_eligible("n1", 7, true);
  EXPECT_EQ(relay_.known_eligible("n1", 7), true);
  EXPECT_FALSE(relay_.known_eligible("n2", 7));
  EXPECT_FALSE(relay_.known_eligible("n1", 8));
  relay_.know_eligible("n2", 8, false);
  EXPECT_EQ(relay_.known_eligible("n2", 8), false);
  EXPECT_FALSE(relay_.known_eligible("n1", 8)) << "that was before";
  relay_.know_eligible("n1", 7, true);  // somebody who looked long ago
  EXPECT_FALSE(relay_.known_eligible("n1", 8));
  EXPECT_EQ(relay_.known_eligible("n2", 8), false);
}

TEST_F(Relayed, ACallGoesToANodeAndBackAndItsHolderIsTold) {
  std::thread lane([&] {
    auto asks = request();
    const auto told = serve(asks);
    ASSERT_TRUE(told.ok() && told->call);
    asks.answer = contracts::CallAnswer{told->call->id, "done", {}};
    asks.wait_ms = 0;
    ASSERT_TRUE(serve(asks).ok());
  });
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
    auto asks = request();
    const auto told = serve(asks);
    ASSERT_TRUE(told.ok() && told->call);
    while (times == 0) std::this_thread::yield();  // it is not waited for
    asks.answer = contracts::CallAnswer{told->call->id, "done", {}};
    asks.wait_ms = 0;
    ASSERT_TRUE(serve(asks).ok());
  });
  wait_for_node();
  CallOptions wanted = options(kLong);
  wanted.meanwhile = [&] { ++times; };
  EXPECT_TRUE(relay_.call(std::move(wanted), clock_, random_).ok());
  lane.join();
  EXPECT_EQ(times, 1);
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
