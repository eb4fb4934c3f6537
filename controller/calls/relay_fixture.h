// For tests: a relay, one lane of a node, and callers.
#pragma once

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "controller/calls/relay_test_support.h"

namespace paddock::calls {

inline constexpr Millis kLong{60'000};

// A client whose connection a test ends with give(). That wakes the relay, which need not ask for
// it.
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
    out.process = "process-1";
    out.wait_ms = kLong.count();
    out.snippets.emplace();
    out.snippets->enabled = true;
    out.snippets->parallel = 4;
    return out;
  }
  Result<contracts::CallsAnswer> serve(const contracts::CallsRequest& request) {
    return serve_here(
        relay_, {"n1", "process-1", 0}, request, [] { return true; }, {[&] { return !over_; }, {}},
        clock_);
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
  // Waits for an answer of this one node; its call has been made when this returns.
  std::thread caller_of_n1() {
    std::promise<void> made;
    auto is_made = made.get_future();
    std::thread caller([this, told = std::move(made)]() mutable {
      CallOptions wanted = options(kLong);
      wanted.node = "n1";
      wanted.meanwhile = [&] { told.set_value(); };
      EXPECT_TRUE(relay_.call(std::move(wanted), clock_, random_).ok());
    });
    is_made.wait();
    return caller;
  }

  Relay relay_;
  SystemClock clock_;
  SystemRandom random_;
  std::atomic<bool> over_{false};
  std::string holder_;
};

}  // namespace paddock::calls
