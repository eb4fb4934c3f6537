#include "node-agent/sync/sync_loop.h"

#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sync {
namespace {

using contracts::SyncAnswer;
using contracts::SyncRequest;

// A chunk after the other, once the disk gives it.
class Chunks : public OutputReader {
 public:
  std::vector<contracts::OutputChunk> read(const RunKey&, int64_t after, size_t) override {
    if (waits_for.valid()) waits_for.wait();
    return {{.seq = after + 1, .time_ms = 1, .stream = "stdout", .data = "eA=="}};
  }
  std::shared_future<void> waits_for;
};

// Hands each request to the test, which answers when it likes.
class ScriptedPort : public SyncPort {
 public:
  struct State {
    std::deque<SyncRequest> requests;
    std::deque<Result<SyncAnswer>> answers;
    bool aborted = false;
  };
  Result<SyncAnswer> synchronize(const SyncRequest& request) override {
    state.with([&](State& s) { s.requests.push_back(request); });
    changed.notify_all();
    Result<SyncAnswer> out = Error{Code::kUnavailable, "ABORTED", "aborted"};
    while (!state.wait_for(
        changed, std::chrono::seconds(60), [](State& s) { return s.aborted || !s.answers.empty(); },
        [&](State& s, bool in_time) {
          if (!in_time || s.aborted) return in_time;
          out = s.answers.front();
          s.answers.pop_front();
          return true;
        })) {
    }
    return out;
  }
  void abort() override {
    state.with([](State& s) { s.aborted = true; });
    changed.notify_all();
  }
  SyncRequest next_request() {
    SyncRequest out;
    while (!state.wait_for(
        changed, std::chrono::seconds(60), [](State& s) { return !s.requests.empty(); },
        [&](State& s, bool in_time) {
          if (!in_time) return false;
          out = s.requests.front();
          s.requests.pop_front();
          return true;
        })) {
    }
    return out;
  }
  void answer(Result<SyncAnswer> said) {
    state.with([&](State& s) { s.answers.push_back(std::move(said)); });
    changed.notify_all();
  }
  Guarded<State> state;
  std::condition_variable changed;
};

class Loop : public testing::Test {
 protected:
  Loop()
      : loop(SyncCore("process-1", 1, {}), output, clock, random, [this](const Action& action) {
          if (const auto* cancel = std::get_if<CancelRun>(&action))
            canceled.set_value(cancel->key.uid);
          if (const auto* start = std::get_if<StartRun>(&action)) {
            if (start->assignment.run_uid != "b") started.set_value(start->assignment.run_uid);
            if (start->assignment.run_uid == stuck) waits_for.wait();
          }
        }) {
    loop.set_status({});
    running = std::async(std::launch::async, [this] { return loop.run(report, hold); });
  }
  ~Loop() override {
    loop.stop();
    if (running.valid()) running.wait();
  }
  static SyncAnswer says(const std::string& version, const std::string& uid = {}) {
    SyncAnswer out{.version = version};
    if (!uid.empty()) {
      out.runs.emplace_back();
      out.runs.back().run_uid = uid;
      out.runs.back().attempt = 1;
    }
    return out;
  }

  SystemClock clock;
  SeededRandom random{3};
  Chunks output;
  ScriptedPort report;
  ScriptedPort hold;
  std::promise<std::string> started;  // of all but b
  std::promise<std::string> canceled;
  std::string stuck;  // its start, until `waits_for`
  std::shared_future<void> waits_for;
  SyncLoop loop;
  std::future<Ended> running;
};

TEST_F(Loop, ReportsFirstAndHoldsACallOnlyThen) {
  EXPECT_TRUE(report.next_request().status.has_value());
  report.answer(says("1"));
  const SyncRequest held = hold.next_request();
  EXPECT_EQ(held.known_version, "1");
  EXPECT_GT(held.wait_ms, 0);
}

TEST_F(Loop, AnAssignmentFromTheHeldCallIsStartedAndItsNewsReportedWhileTheNextCallIsHeld) {
  report.next_request();
  report.answer(says("1"));
  hold.next_request();
  hold.answer(says("2", "a"));
  EXPECT_EQ(started.get_future().get(), "a");
  EXPECT_EQ(hold.next_request().known_version, "2");
  loop.observe({.run_uid = "a", .attempt = 1, .phase = contracts::RunPhase::kRunning}, 0);
  EXPECT_EQ(report.next_request().runs.at(0).phase, contracts::RunPhase::kRunning);
}

// A disk may stall for longer than a node may be silent.
TEST_F(Loop, WhatAnActionWaitsForHoldsUpNoCall) {
  std::promise<void> disk;
  waits_for = disk.get_future().share();
  stuck = "a";
  report.next_request();
  report.answer(says("1", "a"));
  EXPECT_EQ(started.get_future().get(), "a") << "and it is stuck now";
  hold.next_request();
  hold.answer(says("2", "a"));
  EXPECT_EQ(hold.next_request().known_version, "2");
  loop.observe({.run_uid = "a", .attempt = 1, .phase = contracts::RunPhase::kRunning}, 0);
  report.next_request();
  report.answer(says("3", "a"));
  hold.answer(says("3", "a"));
  EXPECT_EQ(hold.next_request().known_version, "3");
  disk.set_value();
}

TEST_F(Loop, WhatAnActionWaitsForHoldsUpNoCancelOfAnotherRun) {
  std::promise<void> disk;
  waits_for = disk.get_future().share();
  stuck = "a";
  report.next_request();
  report.answer(says("1", "b"));
  hold.next_request();
  SyncAnswer both = says("2", "b");
  both.runs.push_back(says("2", "a").runs.at(0));
  hold.answer(both);
  EXPECT_EQ(started.get_future().get(), "a") << "and it is stuck now";
  hold.next_request();
  both.version = "3";
  both.runs.at(0).desired = contracts::DesiredState::kCancel;
  hold.answer(both);
  EXPECT_EQ(canceled.get_future().get(), "b");
  disk.set_value();
}

TEST_F(Loop, ACancelIsBehindTheStartOfItsOwnRun) {
  std::promise<void> disk;
  waits_for = disk.get_future().share();
  stuck = "a";
  report.next_request();
  report.answer(says("1", "a"));
  EXPECT_EQ(started.get_future().get(), "a");
  hold.next_request();
  SyncAnswer canceling = says("2", "a");
  canceling.runs.at(0).desired = contracts::DesiredState::kCancel;
  hold.answer(canceling);
  EXPECT_EQ(hold.next_request().known_version, "2");
  std::future<std::string> done = canceled.get_future();
  EXPECT_NE(done.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  disk.set_value();
  EXPECT_EQ(done.get(), "a");
}

TEST_F(Loop, OutputThatTheDiskDoesNotGiveHoldsUpNeitherCall) {
  std::promise<void> disk;
  output.waits_for = disk.get_future().share();
  report.next_request();
  report.answer(says("1", "a"));
  hold.next_request();
  loop.observe({.run_uid = "a", .attempt = 1, .phase = contracts::RunPhase::kRunning}, 1);
  hold.answer(says("2", "a"));
  EXPECT_EQ(hold.next_request().known_version, "2");
  const SyncRequest without = report.next_request();
  EXPECT_EQ(without.runs.at(0).phase, contracts::RunPhase::kRunning);
  EXPECT_TRUE(without.runs.at(0).output.empty());
  report.answer(says("3", "a"));
  contracts::NodeStatus stalled;
  stalled.agent_version = "says so";
  loop.set_status(stalled);
  EXPECT_EQ(report.next_request().status->agent_version, "says so");
  report.answer(says("4", "a"));
  disk.set_value();
  EXPECT_EQ(report.next_request().runs.at(0).output.at(0).seq, 1);
}

// Each line is written while the report before it is only just answered: it waits a moment then,
// of which nobody is told.
TEST_F(Loop, OutputThatComesRightBehindAReportGoesWithTheNextOne) {
  report.next_request();
  report.answer(says("1", "a"));
  for (int64_t line = 1, acked = 0; line <= 200; ++line) {
    loop.observe({.run_uid = "a", .attempt = 1, .phase = contracts::RunPhase::kRunning}, line);
    while (acked < line) {
      const SyncRequest request = report.next_request();
      if (!request.runs.empty() && !request.runs.at(0).output.empty())
        acked = request.runs.at(0).output.back().seq;
      SyncAnswer taken = says("1", "a");
      taken.runs.at(0).output_acked = acked;
      report.answer(taken);
    }
  }
}

TEST_F(Loop, StopEndsAHeldCall) {
  report.next_request();
  report.answer(says("1"));
  hold.next_request();
  loop.stop();
  EXPECT_EQ(running.get().verdict, Verdict::kRetry);
}

TEST_F(Loop, ASupersededSessionEndsBothLanes) {
  report.next_request();
  report.answer(Error{Code::kConflict, "SESSION_SUPERSEDED", "a newer agent took over"});
  const Ended ended = running.get();
  EXPECT_EQ(ended.verdict, Verdict::kStop);
  EXPECT_EQ(ended.error.reason, "SESSION_SUPERSEDED");
}

TEST_F(Loop, AFailedCallIsMadeAgain) {
  report.next_request();
  report.answer(Error{Code::kUnavailable, "CONNECTION_BROKEN", "gone"});
  EXPECT_TRUE(report.next_request().status.has_value());
}

}  // namespace
}  // namespace paddock::sync
