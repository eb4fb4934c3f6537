// Enrolment, leases and the server half of Synchronize, over a store in memory.
#include <gtest/gtest.h>

#include "common/crypto/digest.h"
#include "common/wire/json.h"
#include "controller/nodes/assignments.h"
#include "controller/nodes/registry.h"
#include "controller/nodes/synchronize.h"
#include "controller/store/run_writes.h"

namespace paddock::nodes {
namespace {

using contracts::RunPhase;

constexpr const char* kIdentity = "identity-of-this-agent-32-characters";

class NodesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = std::move(store::Store::open({})).value();
    ASSERT_TRUE(enroll_as(kIdentity).ok());
  }
  Result<contracts::EnrollAnswer> enroll_as(const std::string& identity,
                                            const std::string& node = "n1") {
    contracts::EnrollRequest request;
    request.identity = identity;
    return enroll(*store_, node, request, clock_.wall(), random_);
  }
  contracts::Run place(const std::string& name, const std::string& node = "n1") {
    contracts::Run run;
    run.metadata.name = name;
    run.metadata.name_space = "default";
    run.metadata.uid = "uid-" + name;
    run.spec.command.argv = {"true"};
    const Status done = store_->write([&](store::WriteTxn& txn) -> Status {
      TRY(store::create_run(txn, run, runs::admit(run, clock_.wall())));
      ASSIGN_OR_RETURN(runs::Events events, runs::bind(run, node, clock_.wall()));
      return store::save_run(txn, run, std::move(events));
    });
    EXPECT_TRUE(done.ok());
    return run;
  }
  contracts::Run run(const std::string& uid) {
    contracts::Run found;
    const Status read = store_->read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(found, txn.run_by_uid(uid));
      return {};
    });
    EXPECT_TRUE(read.ok());
    return found;
  }
  std::vector<std::string> event_types(const std::string& uid) {
    std::vector<std::string> types;
    const Status read = store_->read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(const auto events, txn.run_events(uid, 0, 0));
      for (const auto& event : events) types.push_back(event.type);
      return {};
    });
    EXPECT_TRUE(read.ok());
    return types;
  }
  contracts::Node node() {
    contracts::Node found;
    const Status read = store_->read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(found, txn.get<contracts::Node>({"", "n1"}));
      return {};
    });
    EXPECT_TRUE(read.ok());
    return found;
  }
  Result<contracts::SyncAnswer> call(std::vector<contracts::RunReport> reports = {}) {
    contracts::SyncRequest request;
    request.session = "session-1";
    request.generation = 1;
    request.runs = std::move(reports);
    return synchronize(*store_, leases_, "n1", request, now(clock_));
  }
  static contracts::RunReport report(const std::string& uid, int64_t first_seq, int64_t last_seq) {
    contracts::RunReport made;
    made.run_uid = uid;
    made.attempt = 1;
    made.phase = RunPhase::kRunning;
    for (int64_t seq = first_seq; seq <= last_seq; ++seq) {
      made.output.push_back({seq, seq, "stdout", base64(cat("line ", seq, "\n"))});
    }
    return made;
  }

  ManualClock clock_;
  SeededRandom random_{1};
  LeaseTable leases_{clock_.mono()};
  std::unique_ptr<store::Store> store_;
};

TEST_F(NodesTest, ACredentialIsKeptAsAHashWithTheNodesOwnScope) {
  const auto answer = enroll_as(kIdentity);
  ASSERT_TRUE(answer.ok());
  const Status read = store_->read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto token, txn.token_by_hash(crypto::sha256_hex(answer->credential)));
    EXPECT_TRUE(token && token->subject == "node:n1" && !token->revoked);
    EXPECT_EQ(token->scopes, std::vector<std::string>{"node:self"});
    ASSIGN_OR_RETURN(const auto all, txn.tokens());
    int64_t valid = 0;
    for (const auto& each : all) valid += each.revoked ? 0 : 1;
    EXPECT_EQ(valid, 1) << "enrolling again revokes the older credential";
    return {};
  });
  EXPECT_TRUE(read.ok());
}

TEST_F(NodesTest, ASecondAgentCannotTakeAName) {
  const auto refused = enroll_as("identity-of-another-agent-32-chars!!");
  EXPECT_EQ(refused.error().reason, "NODE_NAME_TAKEN");
  EXPECT_EQ(refused.error().code, Code::kConflict);
  EXPECT_EQ(enroll_as(kIdentity, "No_Label").error().reason, "NODE_NAME_INVALID");
  EXPECT_EQ(enroll_as(kIdentity, "").error().reason, "NODE_NAME_INVALID");
  ASSERT_TRUE(remove(*store_, leases_, "n1").ok());
  EXPECT_EQ(call().error().reason, "NODE_NOT_FOUND");
  EXPECT_TRUE(enroll_as("identity-of-another-agent-32-chars!!").ok());
}

TEST_F(NodesTest, ANewerAgentProcessSupersedesTheOlderOne) {
  contracts::SyncRequest request;
  auto from = [&](const std::string& session, int64_t generation) {
    request.session = session;
    request.generation = generation;
    return synchronize(*store_, leases_, "n1", request, now(clock_));
  };
  EXPECT_TRUE(from("session-a", 10).ok());
  EXPECT_TRUE(from("session-b", 20).ok());
  EXPECT_EQ(from("session-a", 10).error().reason, "SESSION_SUPERSEDED");
  EXPECT_EQ(from("session-c", 20).error().reason, "SESSION_SUPERSEDED");
  EXPECT_TRUE(from("session-b", 20).ok());
}

TEST_F(NodesTest, AHeartbeatAloneWritesNothing) {
  ASSERT_TRUE(call().ok());
  const std::string version = node().metadata.resource_version;
  EXPECT_TRUE(node().status.ready);
  clock_.advance(Millis(5000));
  ASSERT_TRUE(call().ok());
  EXPECT_EQ(node().metadata.resource_version, version);
  EXPECT_EQ(leases_.last_seen("n1"), clock_.wall());
  EXPECT_EQ(leases_.silence("n1", clock_.mono()), Millis(0));
}

TEST_F(NodesTest, AHeartbeatThatIsKnownStillSeesWhatOthersWrote) {
  contracts::SyncRequest request;
  request.session = "session-1";
  request.generation = 1;
  request.labels = {{"rack", "a"}};
  const auto tell = [&] { return synchronize(*store_, leases_, "n1", request, now(clock_)); };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(tell().ok());
  const LeaseTable::Known known{*parse_integer<int64_t>(node().metadata.resource_version),
                                request.labels};
  EXPECT_TRUE(leases_.knows("n1", known));
  ASSERT_TRUE(store_
                  ->write([](store::WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(contracts::Node other, txn.get<contracts::Node>({"", "n1"}));
                    other.metadata.labels = {{"rack", "of somebody else"}};
                    return txn.update(other);
                  })
                  .ok());
  ASSERT_TRUE(tell().ok());
  EXPECT_EQ(node().metadata.labels, request.labels);
  request.labels = {{"rack", "b"}};
  ASSERT_TRUE(tell().ok());
  EXPECT_EQ(node().metadata.labels, request.labels);
  ASSERT_TRUE(remove(*store_, leases_, "n1").ok());
  EXPECT_EQ(tell().error().reason, "NODE_NOT_FOUND");
}

// Also by one of which nothing new was known before.
TEST_F(NodesTest, TheFirstHeartbeatAfterASilenceIsWrittenDown) {
  ASSERT_TRUE(call().ok());
  ASSERT_TRUE(call().ok());
  ASSERT_TRUE(store_
                  ->write([](store::WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(contracts::Node silent, txn.get<contracts::Node>({"", "n1"}));
                    silent.status.ready = false;
                    silent.status.reason = contracts::kLeaseExpired;
                    return txn.update(silent);
                  })
                  .ok());
  clock_.advance(Millis(5000));
  ASSERT_TRUE(call().ok());
  EXPECT_TRUE(node().status.ready);
  EXPECT_EQ(node().status.reason, "");
  EXPECT_EQ(node().status.last_seen->value, clock_.wall());
}

TEST_F(NodesTest, OtherLabelsAreWrittenDownAndTheSameAreNot) {
  contracts::SyncRequest request;
  request.session = "session-1";
  request.generation = 1;
  request.labels = {{"rack", "b"}};
  const auto tell = [&] { return synchronize(*store_, leases_, "n1", request, now(clock_)).ok(); };
  ASSERT_TRUE(tell());
  EXPECT_EQ(node().metadata.labels, request.labels);
  const std::string version = node().metadata.resource_version;
  ASSERT_TRUE(tell());
  EXPECT_EQ(node().metadata.resource_version, version);
}

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
    request.session = "session-1";
    request.generation = 1;
    request.runs = {report(run.metadata.uid, 1, 0)};
    request.runs[0].outcome = contracts::RunOutcome{};
    request.runs[0].outcome->phase = phase;
    EXPECT_TRUE(synchronize(*store_, leases_, "n1", request, now(clock_), publishing).ok());
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

TEST_F(NodesTest, AnswersWithWhatTheNodeShouldHold) {
  const contracts::Run mine = place("a");
  place("b", "elsewhere");
  const auto answer = call();
  ASSERT_TRUE(answer.ok());
  ASSERT_EQ(answer->runs.size(), 1u);
  EXPECT_EQ(answer->runs[0].run_uid, mine.metadata.uid);
  EXPECT_EQ(answer->runs[0].desired, contracts::DesiredState::kRun);
  EXPECT_EQ(desired_version(*store_, "n1").value(), answer->version);

  const Status cancelled = store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::Run changed, txn.run_by_uid(mine.metadata.uid));
    runs::Events events = runs::request_cancel(changed, clock_.wall());
    return store::save_run(txn, changed, std::move(events));
  });
  ASSERT_TRUE(cancelled.ok());
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
    for (const contracts::Assignment& each : answer)
      bytes += wire::to_json(wire::encode(each)).size();
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
  EXPECT_EQ(hold_for(request, answer), kMaxHold);
  EXPECT_LT(kMaxHold, kLease);
  answer.version = "w";
  EXPECT_EQ(hold_for(request, answer), Millis(0));
  answer.version = "v";
  request.runs.emplace_back().output.emplace_back();
  EXPECT_EQ(hold_for(request, answer), Millis(0));
}

}  // namespace
}  // namespace paddock::nodes
