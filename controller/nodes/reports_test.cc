// What a node should hold, and what it reports of its runs.
#include <algorithm>

#include "common/wire/json.h"
#include "controller/nodes/assignments.h"
#include "controller/nodes/nodes_test_support.h"
#include "controller/store/full_store_test_support.h"

namespace paddock::nodes {
namespace {

using contracts::RunPhase;

// A run that succeeded, with what was made ready of it.
class PublishingTest : public NodesTest {
 protected:
  contracts::Run place_publisher(const std::string& name) {
    contracts::Run run = place(name);
    EXPECT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(run, txn.run_by_uid(run.metadata.uid));
                      run.spec.publish = "data";
                      return txn.update(run);
                    })
                    .ok());
    return run;
  }
  contracts::Run end(const contracts::Run& run, RunPhase phase,
                     const volumes::Publishing& publishing) {
    contracts::SyncRequest request;
    request.process = "process-1";
    request.generation = 1;
    request.runs = {report(run.metadata.uid, 1, 0)};
    request.runs[0].outcome = contracts::RunOutcome{};
    request.runs[0].outcome->phase = phase;
    const auto answer = synchronize(*store_, leases_, "n1", request, now(clock_), publishing);
    EXPECT_TRUE(answer.ok());
    hold_ = answer.ok() ? hold_for(request, *answer, kLease) : Millis(-1);
    contracts::Run after;
    (void)store_->read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(after, txn.run_by_uid(run.metadata.uid));
      return {};
    });
    return after;
  }
  int64_t versions() {
    int64_t count = 0;
    (void)store_->read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(const auto volume, txn.find<contracts::Volume>({"default", "data"}));
      count = volume ? static_cast<int64_t>(volume->status.versions.size()) : 0;
      return {};
    });
    return count;
  }
  static volumes::Publishing ready(const contracts::Run& run) {
    volumes::Publishing out;
    out.offers.emplace(run.metadata.uid, volumes::Offer{std::string(64, 'a'), 1, 1, "uid-volume"});
    return out;
  }
  Millis hold_{0};  // of the last call
};

TEST_F(PublishingTest, TheVersionAndTheEndAreRecordedTogetherAndOnce) {
  const contracts::Run run = place_publisher("a");
  const contracts::Run after = end(run, RunPhase::kSucceeded, ready(run));
  EXPECT_EQ(after.status.phase, RunPhase::kSucceeded);
  EXPECT_EQ(after.status.published_version, 1);
  end(run, RunPhase::kSucceeded, ready(run));  // a repeated report
  EXPECT_EQ(versions(), 1);
}

TEST_F(PublishingTest, AFailedOrCanceledRunPublishesNothing) {
  const contracts::Run failed = place_publisher("a");
  const contracts::Run canceled = place_publisher("b");
  EXPECT_EQ(end(failed, RunPhase::kFailed, ready(failed)).status.phase, RunPhase::kFailed);
  EXPECT_FALSE(end(canceled, RunPhase::kCanceled, ready(canceled)).status.published_version);
  EXPECT_EQ(versions(), 0);
}

TEST_F(PublishingTest, ARunThatCannotPublishHasFailedAndSaysWhy) {
  const contracts::Run unready = place_publisher("a");
  const contracts::Run after = end(unready, RunPhase::kSucceeded, {});
  EXPECT_EQ(after.status.phase, RunPhase::kFailed);
  EXPECT_EQ(after.status.reason, "PUBLISH_FAILED");
  const contracts::Run full = place_publisher("b");
  volumes::Publishing none = ready(full);
  none.limits.per_namespace = 0;
  const contracts::Run refused = end(full, RunPhase::kSucceeded, none);
  EXPECT_EQ(refused.status.phase, RunPhase::kFailed);
  EXPECT_NE(refused.status.message.find("0 volumes"), std::string::npos);
  EXPECT_EQ(versions(), 0);
}

// Nothing of the run is wrong: its end waits for the disk, and is taken once.
TEST_F(PublishingTest, AVersionThatTheDiskRefusesIsRecordedOnceItTakesIt) {
  const contracts::Run run = place_publisher("a");
  volumes::Publishing refused;
  refused.offers.emplace(run.metadata.uid, Error{Code::kUnavailable, "DISK_READ_ONLY",
                                                 "making a file: Read-only file system"});
  const contracts::Run waits = end(run, RunPhase::kSucceeded, refused);
  EXPECT_FALSE(contracts::is_terminal(waits.status.phase));
  EXPECT_NE(waits.status.message.find("Read-only"), std::string::npos) << waits.status.message;
  EXPECT_EQ(hold_, kHoldWhileFull) << "it is not to come back at once";
  const contracts::Run after = end(run, RunPhase::kSucceeded, ready(run));
  EXPECT_EQ(after.status.phase, RunPhase::kSucceeded);
  EXPECT_EQ(after.status.published_version, 1);
  EXPECT_EQ(after.status.message.find("Read-only"), std::string::npos);
}

TEST_F(PublishingTest, ARunThatIsCanceledDoesNotWaitForTheDisk) {
  contracts::Run run = place_publisher("a");
  run.spec.cancel_requested = true;
  ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.update(run); }).ok());
  volumes::Publishing refused;
  refused.offers.emplace(run.metadata.uid, Error{Code::kUnavailable, "STORE_IO", "away"});
  EXPECT_TRUE(contracts::is_terminal(end(run, RunPhase::kSucceeded, refused).status.phase));
}

// A run that asked for two devices and has them for a minute, then says how long it did.
class DeviceTimeTest : public NodesTest {
 protected:
  DeviceTimes end(const std::string& name, std::optional<int64_t> said, bool asked = true) {
    contracts::Run run = place(name);
    if (asked) {
      run.spec.resources.emplace().accelerators = {contracts::AcceleratorKind::kNvidia, 2};
      EXPECT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.update(run); }).ok());
    }
    clock_.advance(Millis(60'000));
    request_.process = "process-1";
    request_.generation = 1;
    request_.runs = {report(run.metadata.uid, 1, 0)};
    request_.runs[0].outcome = contracts::RunOutcome{.phase = RunPhase::kSucceeded};
    request_.runs[0].outcome->result.emplace().usage.accelerator_ms = said;
    return tell();
  }
  DeviceTimes tell() {
    DeviceTimes held;
    EXPECT_TRUE(synchronize(*store_, leases_, "n1", request_, now(clock_), {}, &held).ok());
    return held;
  }
  contracts::SyncRequest request_;
};

TEST_F(DeviceTimeTest, OfAnAttemptIsToldOnceThoughItsEndIsReportedTwice) {
  const DeviceTimes held = end("a", 90'000);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].name_space, "default");
  EXPECT_EQ(held[0].kind, contracts::AcceleratorKind::kNvidia);
  EXPECT_EQ(held[0].held, Millis(90'000));
  EXPECT_TRUE(tell().empty());
}

TEST_F(DeviceTimeTest, IsNoLongerThanTheAttemptWhateverItsNodeSays) {
  EXPECT_EQ(end("a", INT64_MAX).at(0).held, Millis(120'000));
  EXPECT_EQ(end("b", -1).at(0).held, Millis(0));
  EXPECT_EQ(end("c", {}).at(0).held, Millis(0));
  EXPECT_TRUE(end("d", 90'000, false).empty()) << "it asked for none";
}

TEST_F(NodesTest, AnswersWithWhatTheNodeShouldHold) {
  const contracts::Run mine = place("a");
  place("b", "elsewhere");
  const auto answer = call();
  ASSERT_TRUE(answer.ok());
  ASSERT_EQ(answer->runs.size(), 1u);
  EXPECT_EQ(answer->runs[0].run_uid, mine.metadata.uid);
  EXPECT_EQ(answer->runs[0].desired, contracts::DesiredState::kRun);
  EXPECT_EQ(desired_version(*store_, "n1").value(), answer->version);

  const Status canceled = store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::Run changed, txn.run_by_uid(mine.metadata.uid));
    runs::Events events = runs::request_cancel(changed, clock_.wall());
    return store::save_run(txn, changed, std::move(events));
  });
  ASSERT_TRUE(canceled.ok());
  const auto after = call();
  EXPECT_EQ(after->runs.at(0).desired, contracts::DesiredState::kCancel);
  EXPECT_NE(after->version, answer->version);
}

// A node with many places may be sent many of them, and takes in so much at once and no more.
TEST(CodeOfRuns, TravelsOnceAndOnlySoMuchOfItInOneAnswer) {
  std::vector<contracts::Assignment> all(60);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].run_uid = cat("r", i);
    all[i].attempt = 1;
    all[i].spec.type = contracts::RunType::kCode;
    all[i].spec.code = std::string(100'000, '\x01');
    all[i].spec.input_data = wire::Value(wire::Value::Object{{"a", "b"}});
  }
  all[59].spec.type = contracts::RunType::kCompute;
  std::vector<contracts::RunReport> named;
  size_t rounds = 0;
  while (named.size() < all.size()) {
    ASSERT_LT(++rounds, 100u);
    std::vector<contracts::Assignment> answer = all;
    spare_code(answer, named);
    size_t bytes = 0;
    for (const contracts::Assignment& each : answer) bytes += wire::encode_json(each).size();
    EXPECT_LT(bytes, size_t{20} << 20);
    const size_t before = named.size();
    for (const contracts::Assignment& each : answer) {
      const bool known = std::ranges::any_of(
          named, [&](const auto& other) { return other.run_uid == each.run_uid; });
      if (known) {
        EXPECT_EQ(each.spec.code, each.run_uid == "r59" ? all[59].spec.code : "");
        continue;
      }
      EXPECT_EQ(each.spec.code.size(), 100'000u);
      named.push_back({.run_uid = each.run_uid, .attempt = 1});
    }
    ASSERT_GT(named.size(), before) << "it goes on";
  }
  EXPECT_GT(rounds, 2u);
}

TEST_F(NodesTest, StoresOutputOnceAndInOrderHoweverItArrives) {
  const std::string uid = place("a").metadata.uid;
  EXPECT_EQ(call({report(uid, 1, 2)})->runs.at(0).output_acked, 2);
  EXPECT_EQ(call({report(uid, 1, 3)})->runs.at(0).output_acked, 3);
  EXPECT_EQ(call({report(uid, 5, 6)})->runs.at(0).output_acked, 3);
  EXPECT_EQ(call({report(uid, 2, 2)})->runs.at(0).output_acked, 3);
  EXPECT_EQ(event_types(uid),
            (std::vector<std::string>{"phase", "phase", "phase", "stdout", "stdout", "stdout"}));
}

TEST_F(NodesTest, WhatANodeDidBeforeTheCommandBeganComesBeforeThePhaseThatSaysSo) {
  const auto told = [&](const std::string& name, std::optional<int64_t> started_ms) {
    const std::string uid = place(name).metadata.uid;
    contracts::RunReport begun = report(uid, 1, 5);  // at 1 to 5 ms
    for (const int64_t system : {1, 2, 4, 5})
      begun.output[static_cast<size_t>(system - 1)].stream = "system";
    if (started_ms) begun.started_at = wire::Timestamp{WallTime{*started_ms}};
    EXPECT_TRUE(call({begun}).ok());
    std::vector<std::string> types = event_types(uid);
    types.erase(types.begin(), types.begin() + 2);
    return join(types, " ");
  };
  EXPECT_EQ(told("a", 2), "system system phase stdout system system");
  EXPECT_EQ(told("b", 1), "system phase system stdout system system");
  EXPECT_EQ(told("c", 9), "system system phase stdout system system") << "it prints: it runs";
  EXPECT_EQ(told("d", {}), "phase system system stdout system system") << "nobody knows";
}

TEST_F(NodesTest, AnOutcomeWaitsForAllOutputAndEndsTheRunOnce) {
  const std::string uid = place("a").metadata.uid;
  contracts::RunReport last = report(uid, 2, 3);
  last.outcome.emplace();
  last.outcome->phase = RunPhase::kSucceeded;
  EXPECT_EQ(call({last})->runs.size(), 1u) << "output 1 is missing";
  EXPECT_FALSE(contracts::is_terminal(run(uid).status.phase));

  last.output.insert(last.output.begin(), report(uid, 1, 1).output[0]);
  EXPECT_TRUE(call({last})->runs.empty());
  EXPECT_TRUE(call({last})->runs.empty()) << "a repeated call changes nothing";
  EXPECT_EQ(run(uid).status.phase, RunPhase::kSucceeded);
  const auto types = event_types(uid);
  EXPECT_EQ(std::count(types.begin(), types.end(), "end"), 1);
  EXPECT_EQ(types.back(), "end");
  EXPECT_EQ(std::count(types.begin(), types.end(), "stdout"), 3);
}

// The store of a full disk takes no output of a run that goes on, which its node keeps.
TEST_F(NodesTest, OnAFullDiskRunsEndAndCancelsAreHeardAndOutputWaits) {
  store::FullStore full(*store_);
  place("goes-on");
  place("ends");
  const auto tell = [&](std::vector<contracts::RunReport> reports) {
    contracts::SyncRequest request;
    request.process = "process-1";
    request.generation = 1;
    request.runs = std::move(reports);
    auto answer = synchronize(full, leases_, "n1", request, now(clock_));
    return std::pair(answer, answer.ok() ? hold_for(request, *answer, kLease) : Millis(-1));
  };
  contracts::RunReport end = report("uid-ends", 1, 2);
  end.outcome.emplace().phase = contracts::RunPhase::kSucceeded;
  const auto [answer, hold] = tell({report("uid-goes-on", 1, 3), end});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(run("uid-ends").status.phase, contracts::RunPhase::kSucceeded);
  EXPECT_EQ(run("uid-goes-on").status.phase, contracts::RunPhase::kRunning);
  ASSERT_EQ(answer->runs.size(), 1u);
  EXPECT_EQ(answer->runs[0].output_acked, 0);
  EXPECT_EQ(hold, kHoldWhileFull) << "it is not to come back at once";
  const Status canceled = store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid("uid-goes-on"));
    return store::save_run(txn, run, runs::request_cancel(run, clock_.wall()));
  });
  ASSERT_TRUE(canceled.ok());
  const auto heard = tell({report("uid-goes-on", 1, 3)});
  EXPECT_EQ(heard.first->runs[0].desired, contracts::DesiredState::kCancel);
  EXPECT_EQ(heard.first->runs[0].output_acked, 3) << "there will not be much more";
  full.spent = true;
  EXPECT_EQ(tell({}).first.error().reason, "STORE_FULL");
}

TEST_F(NodesTest, IgnoresReportsThatAreNotThisNodesToMake) {
  const std::string foreign = place("b", "elsewhere").metadata.uid;
  const std::string mine = place("a").metadata.uid;
  contracts::RunReport stale = report(mine, 1, 1);
  stale.attempt = 2;
  const auto answer = call({report(foreign, 1, 1), report("unknown", 1, 1), stale});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->runs.size(), 1u);
  EXPECT_EQ(answer->runs[0].output_acked, 0);
  EXPECT_EQ(run(foreign).status.phase, RunPhase::kScheduled);
}

TEST_F(NodesTest, RefusesMalformedReports) {
  const std::string uid = place("a").metadata.uid;
  contracts::RunReport bad = report(uid, 1, 1);
  bad.output[0].data = "%%%";
  EXPECT_EQ(call({bad}).error().reason, "OUTPUT_INVALID");
  bad = report(uid, 1, 1);
  bad.output[0].stream = "end";
  EXPECT_EQ(call({bad}).error().reason, "OUTPUT_INVALID");
  bad = report(uid, 1, 1);
  bad.outcome.emplace();
  bad.outcome->phase = RunPhase::kRunning;
  EXPECT_EQ(call({bad}).error().reason, "OUTCOME_NOT_TERMINAL");
  EXPECT_EQ(event_types(uid).size(), 2u) << "nothing half done";
}

TEST_F(NodesTest, ANodeSeesTheFilesOfItsActiveRunsOnly) {
  const std::string mine = place("a").metadata.uid;
  const std::string foreign = place("b", "elsewhere").metadata.uid;
  EXPECT_TRUE(assigned_run(*store_, "n1", mine).ok());
  EXPECT_EQ(assigned_run(*store_, "n1", foreign).error().reason, "RUN_NOT_ASSIGNED");
  EXPECT_EQ(assigned_run(*store_, "n1", "none").error().reason, "RUN_NOT_ASSIGNED");
  contracts::RunReport last = report(mine, 1, 0);
  last.outcome.emplace();
  ASSERT_TRUE(call({last}).ok());
  EXPECT_EQ(assigned_run(*store_, "n1", mine).error().reason, "RUN_NOT_ASSIGNED");
}

TEST(HoldFor, OnlyACallThatNewsCouldNotAnswerIsHeld) {
  contracts::SyncRequest request;
  contracts::SyncAnswer answer;
  request.known_version = answer.version = "v";
  request.wait_ms = 60'000;
  const Millis long_lease = kMaxHold * 4;
  EXPECT_EQ(hold_for(request, answer, long_lease), kMaxHold);
  EXPECT_EQ(hold_for(request, answer, Millis(3000)), Millis(1500)) << "or it costs the lease";
  answer.version = "w";
  EXPECT_EQ(hold_for(request, answer, long_lease), Millis(0));
  answer.version = "v";
  request.runs.emplace_back().output.emplace_back();
  EXPECT_EQ(hold_for(request, answer, long_lease), Millis(0));
}

}  // namespace
}  // namespace paddock::nodes
