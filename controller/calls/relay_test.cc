#include "controller/calls/relay.h"

#include "controller/calls/relay_fixture.h"

namespace paddock::calls {
namespace {

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

TEST_F(Relayed, ANodeLivesAsLongAsItSendsPartsOfAnswers) {
  ManualClock clock;
  const LaneKey key{"n1", "process-1", 0};
  (void)relay_
      .open(
          key, request(), [] { return true; }, clock)
      .value()
      ->finish();
  for (int i = 0; i < 5; ++i) {
    clock.advance(Millis(10'000));
    EXPECT_TRUE(relay_.pass_on(key, {{"of-nobody", i + 1, "x"}}, clock).ok());
    EXPECT_FALSE(relay_.skills(clock).empty());
  }
  clock.advance(Millis(15'000));
  EXPECT_TRUE(relay_.skills(clock).empty());
}

// Output that the caller's thread has taken and not yet written counts like output that it has not
// taken: no more of a terminal's output is kept than that, and nothing of it is lost.
TEST_F(Relayed, ACallerWhoReadsSlowlyIsSentNoMoreThanMayWait) {
  Limits limits;
  limits.longest_pace = Millis(1);
  limits.silent_after = Millis(2);
  Relay relay(limits);
  ManualClock clock;
  std::atomic<bool> has_one{false};
  std::atomic<bool> reads{false};
  std::atomic<size_t> written{0};
  size_t accepted = 0;
  const LaneKey key{"n1", "process-1", 0};
  const auto serve = [&](const contracts::CallsRequest& asks) {
    return serve_here(
        relay, key, asks, [] { return true; }, {[&] { return !over_; }, {}}, clock);
  };
  std::thread lane([&] {
    const auto told = serve(request());
    ASSERT_TRUE(told.ok() && told->call);
    const auto send = [&](size_t seq) {
      return relay.pass_on(key, {{told->call->id, static_cast<int64_t>(seq), "x"}}, clock);
    };
    Status sent;
    while (accepted < 1000 && (sent = send(accepted + 1)).ok()) ++accepted;
    EXPECT_LT(accepted, 1000u);
    ASSERT_FALSE(sent.ok());
    EXPECT_EQ(sent.error().reason, "TOO_MANY_CALLS");
    EXPECT_EQ(sent.error().code, Code::kResourceExhausted);
    while (!has_one) std::this_thread::yield();
    clock.advance(limits.longest_pace + Millis(1));
    EXPECT_FALSE(relay.skills(clock).empty()) << "its request was held: it could say nothing else";
    reads = true;
    while (!send(accepted + 1).ok()) std::this_thread::yield();  // sent again, it is taken
    auto asks = request();
    asks.answer = contracts::CallAnswer{told->call->id, "done", {}};
    asks.wait_ms = 0;
    ASSERT_TRUE(serve(asks).ok());
  });
  while (relay.skills(clock).empty()) std::this_thread::yield();
  CallOptions wanted = options(kLong);
  wanted.on_piece = [&](const wire::Value&) {
    has_one = true;
    while (!reads) std::this_thread::yield();
    ++written;
  };
  EXPECT_TRUE(relay.call(std::move(wanted), clock, random_).ok());
  lane.join();
  EXPECT_EQ(written, accepted + 1);
}

TEST_F(Relayed, ARequestWhosePiecesAreTooLargeIsRefusedWhole) {
  const contracts::CallPiece large{"nobody's", 1, std::string(5 << 20, 'x')};
  const LaneKey key{"n1", "process-1", 0};
  EXPECT_TRUE(relay_.pass_on(key, {large, large, large}, clock_).ok());
  const Status refused = relay_.pass_on(key, {large, large, large, large}, clock_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kTooLarge);
}

// They may last for a day: one caller leaves places to others, and each node counts apart.
TEST_F(Relayed, ACallerHasNoMoreCallsOfAKindOnANodeThanHeMay) {
  const auto asking = [&](const std::string& name, const std::string& space = {}) {
    auto out = options(kLong);
    out.name = name;
    out.name_space = space;
    out.node = "n2";  // nobody takes it
    out.arrival_patience = kLong;
    out.most_alike = 1;
    out.meanwhile = [this, name] { (void)relay_.stop(name); };
    return out;
  };
  const auto reason = [&](CallOptions wanted) {
    return relay_.call(std::move(wanted), clock_, random_).error().reason.str();
  };
  auto first = asking("first");
  first.meanwhile = [&] {
    EXPECT_EQ(reason(asking("second")), "TOO_MANY_COMMANDS");
    auto elsewhere = asking("elsewhere");
    elsewhere.node = "n3";
    EXPECT_EQ(reason(std::move(elsewhere)), "CALL_CANCELED");
    EXPECT_EQ(reason(asking("another's", "of a namespace")), "CALL_CANCELED");
    EXPECT_TRUE(relay_.stop("first").ok());
  };
  EXPECT_EQ(reason(std::move(first)), "CALL_CANCELED");
  EXPECT_EQ(reason(asking("second")), "CALL_CANCELED");
}

TEST_F(Relayed, TheCallersOfANamespaceLeaveSomeToOthers) {
  std::vector<std::string> reasons;
  const auto ask = [&](const std::string& caller, const std::string& space,
                       const std::function<void()>& meanwhile) {
    auto out = options(kLong);
    out.name = cat(space, "/", caller);
    out.caller = caller;
    out.name_space = space;
    out.node = "n2";  // nobody takes it
    out.arrival_patience = kLong;
    out.most_alike = 2;
    out.meanwhile = [&, name = out.name] {
      if (meanwhile) meanwhile();
      (void)relay_.stop(name);
    };
    reasons.push_back(relay_.call(std::move(out), clock_, random_).error().reason.str());
  };
  const auto rest = [&] {
    ask("four", "team", {});
    ask("one", "another", {});
  };
  ask("one", "team", [&] { ask("two", "team", [&] { ask("three", "team", rest); }); });
  EXPECT_EQ(reasons, (std::vector<std::string>{"TOO_MANY_COMMANDS", "CALL_CANCELED",
                                               "CALL_CANCELED", "CALL_CANCELED", "CALL_CANCELED"}));
}

// What was typed to a command that is over is not typed to a later one of its name.
TEST_F(Relayed, WhatWaitsForACallEndsWithIt) {
  auto command = options(kLong);
  command.name = "command";
  command.node = "n2";
  command.arrival_patience = kLong;
  CallId id;
  std::atomic<bool> waits{false};
  std::thread typing;
  const auto typed = [&] {
    auto out = options(kLong);
    out.node = "n2";
    out.arrival_patience = kLong;
    out.part_of = id;
    out.meanwhile = [&] { waits = true; };
    return relay_.call(std::move(out), clock_, random_).error().reason.str();
  };
  command.meanwhile = [&] {
    id = relay_.find("command")->id;
    typing = std::thread([&] { EXPECT_EQ(typed(), "CALL_CANCELED"); });
    while (!waits) std::this_thread::yield();
    EXPECT_TRUE(relay_.stop("command").ok());
  };
  EXPECT_EQ(relay_.call(std::move(command), clock_, random_).error().reason, "CALL_CANCELED");
  typing.join();
  EXPECT_EQ(typed(), "CALL_CANCELED");
}

// Another namespace may have a subject of that name: it is somebody else.
TEST(Shares, AreOfASubjectInItsNamespace) {
  Relay relay(Limits{.waiting_calls = 2 + 2});
  SystemClock clock;
  SystemRandom random;
  std::vector<std::string> reasons;
  const auto ask = [&](const char* name_space, const std::function<void()>& meanwhile) {
    CallOptions options;
    options.caller = "ci";
    options.name_space = name_space;
    options.kind = contracts::kSnippetCall;
    options.patience = kLong;
    options.queue_patience = Millis(0);
    options.arrival_patience = kLong;
    options.meanwhile = meanwhile;
    return relay.call(std::move(options), clock, random).error().reason.str();
  };
  const auto third = [&] { reasons = {ask("one", {}), ask("two", {})}; };
  (void)ask("one", [&] { (void)ask("one", third); });
  EXPECT_EQ(reasons, (std::vector<std::string>{"TOO_MANY_CALLS", "NO_NODE"}));
}

TEST_F(Relayed, FindsCallsByNameAndStopsThoseOfAToken) {
  auto mine = options(kLong);
  mine.name = "mine";
  mine.caller = "ann";
  mine.token = "t1";
  mine.node = "n2";  // nobody takes it
  mine.arrival_patience = kLong;
  mine.meanwhile = [&] {
    const auto found = relay_.find("mine");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->caller, "ann");
    EXPECT_FALSE(relay_.find("other"));
    relay_.stop_of("t2");
    relay_.stop_of("");
    EXPECT_TRUE(relay_.find("mine"));
    relay_.stop_of("t1");
  };
  EXPECT_EQ(relay_.call(std::move(mine), clock_, random_).error().reason, "CALL_CANCELED");
  EXPECT_FALSE(relay_.find("mine"));
}

}  // namespace
}  // namespace paddock::calls
