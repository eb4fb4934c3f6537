// Enrolment, leases and heartbeats.
#include "common/crypto/digest.h"
#include "controller/nodes/nodes_test_support.h"

namespace paddock::nodes {
namespace {

contracts::RunReport refusal(const std::string& uid, const std::string& reason) {
  contracts::RunReport out;
  out.run_uid = uid;
  out.attempt = 1;
  out.outcome.emplace().reason = reason;
  out.outcome->refused = true;
  return out;
}

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
  auto from = [&](const std::string& process, int64_t generation) {
    request.process = process;
    request.generation = generation;
    return synchronize(*store_, leases_, "n1", request, now(clock_));
  };
  EXPECT_TRUE(from("process-a", 10).ok());
  EXPECT_TRUE(from("process-b", 20).ok());
  EXPECT_EQ(from("process-a", 10).error().reason, "SESSION_SUPERSEDED");
  EXPECT_EQ(from("process-c", 20).error().reason, "SESSION_SUPERSEDED");
  EXPECT_TRUE(from("process-b", 20).ok());
}

TEST_F(NodesTest, AfterAnAbsenceOfTheControllerEveryLeaseBeginsAnew) {
  ASSERT_TRUE(call().ok());
  clock_.advance(Millis(60'000));
  EXPECT_EQ(leases_.silence("n1", clock_.mono()), Millis(60'000));
  leases_.begin_anew(clock_.mono());
  EXPECT_EQ(leases_.silence("n1", clock_.mono()), Millis(0));
  EXPECT_EQ(leases_.silence("never-heard-of", clock_.mono()), Millis(0));
  clock_.advance(Millis(7'000));
  EXPECT_EQ(leases_.silence("n1", clock_.mono()), Millis(7'000));
  ASSERT_TRUE(call().ok());
  EXPECT_EQ(leases_.silence("n1", clock_.mono()), Millis(0));
}

TEST_F(NodesTest, AnAgentThatLeavesGetsNothingNewAndKeepsWhatItHasBegun) {
  ASSERT_TRUE(call().ok());
  place("begun");
  place("waiting");
  contracts::SyncRequest last;
  last.process = "process-1";
  last.generation = 1;
  last.leaving = true;
  last.runs.push_back({.run_uid = "uid-begun", .attempt = 1});
  ASSERT_TRUE(synchronize(*store_, leases_, "n1", last, now(clock_)).ok());
  EXPECT_FALSE(node().status.ready);
  EXPECT_EQ(node().status.reason, "AGENT_STOPPED");
  EXPECT_EQ(run("uid-begun").status.node_name, "n1");
  EXPECT_EQ(run("uid-waiting").status.phase, contracts::RunPhase::kPending);
  EXPECT_EQ(run("uid-waiting").status.reason, "REFUSED");
  EXPECT_EQ(run("uid-waiting").status.refusals, 1);
  ASSERT_TRUE(call().ok());
  EXPECT_TRUE(node().status.ready) << "its next process";
}

TEST_F(NodesTest, ANodeThatCouldNotBeginARunRestsUntilOneBegins) {
  ASSERT_TRUE(call().ok());
  place("a");
  contracts::RunReport refused = refusal("uid-a", "NODE_DISK_FULL");
  ASSERT_TRUE(call({refused}).ok());
  EXPECT_EQ(run("uid-a").status.phase, contracts::RunPhase::kPending);
  ASSERT_TRUE(node().status.cool_down);
  EXPECT_EQ(node().status.cool_down->failures, 1);
  EXPECT_EQ(node().status.cool_down->reason, "NODE_DISK_FULL");
  contracts::SyncRequest tells;
  tells.process = "process-1";
  tells.generation = 1;
  tells.status.emplace().capacity.cpu = 4;
  ASSERT_TRUE(synchronize(*store_, leases_, "n1", tells, now(clock_)).ok());
  EXPECT_TRUE(node().status.cool_down) << "a node does not say that it is well, it shows it";
  place("b");
  ASSERT_TRUE(call({report("uid-b", 1, 1)}).ok());
  EXPECT_FALSE(node().status.cool_down);
}

TEST_F(NodesTest, ANodeWhoseLaunchersDieRestsFromTheSecondOneOn) {
  ASSERT_TRUE(call().ok());
  const auto lose = [&](const std::string& name, const char* reason) {
    place(name);
    contracts::RunReport lost = refusal("uid-" + name, reason);
    lost.phase = contracts::RunPhase::kScheduled;
    lost.outcome->refused.reset();
    ASSERT_TRUE(call({lost}).ok());
    EXPECT_EQ(run("uid-" + name).status.phase, contracts::RunPhase::kFailed);
  };
  lose("a", "LAUNCHER_LOST");
  EXPECT_FALSE(node().status.cool_down->until) << "the run may be to blame";
  lose("b", "SandboxError");
  EXPECT_TRUE(node().status.cool_down->until);
  place("c");
  ASSERT_TRUE(call({report("uid-c", 1, 1)}).ok());
  EXPECT_FALSE(node().status.cool_down);
  lose("d", "LAUNCHER_LOST");
  EXPECT_FALSE(node().status.cool_down->until) << "one began in between";
  place("e");
  ASSERT_TRUE(call({report("uid-e", 1, 1)}).ok());
  contracts::RunReport late = refusal("uid-e", "LAUNCHER_LOST");
  late.outcome->refused.reset();
  ASSERT_TRUE(call({late}).ok());
  EXPECT_FALSE(node().status.cool_down) << "its command ran";
}

TEST_F(NodesTest, ANodeWhoseDiskFailsUnderARunRestsThoughItBegan) {
  ASSERT_TRUE(call().ok());
  place("a");
  ASSERT_TRUE(call({report("uid-a", 1, 1)}).ok());
  EXPECT_FALSE(node().status.cool_down);
  contracts::RunReport failed = refusal("uid-a", "NODE_DISK_FAILS");
  failed.outcome->refused.reset();
  failed.outcome->phase = contracts::RunPhase::kFailed;
  ASSERT_TRUE(call({failed}).ok());
  EXPECT_EQ(run("uid-a").status.phase, contracts::RunPhase::kFailed);
  ASSERT_TRUE(node().status.cool_down);
  EXPECT_EQ(node().status.cool_down->reason, "NODE_DISK_FAILS");
}

TEST_F(NodesTest, ANodeWithoutRoomForOneRunsFilesGoesOnForOthers) {
  ASSERT_TRUE(call().ok());
  place("large");
  contracts::RunReport refused = refusal("uid-large", "NODE_DISK_TOO_SMALL");
  refused.outcome->disk_needed = wire::Quantity{int64_t{1} << 40};
  ASSERT_TRUE(call({refused}).ok());
  EXPECT_EQ(run("uid-large").status.phase, contracts::RunPhase::kPending);
  EXPECT_EQ(run("uid-large").status.disk_needed->bytes, int64_t{1} << 40);
  EXPECT_FALSE(node().status.cool_down);
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
  request.process = "process-1";
  request.generation = 1;
  request.labels = {{"rack", "a"}};
  const auto tell = [&] { return synchronize(*store_, leases_, "n1", request, now(clock_)); };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(tell().ok());
  const LeaseTable::StoredState known{*parse_integer<int64_t>(node().metadata.resource_version),
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
  request.process = "process-1";
  request.generation = 1;
  request.labels = {{"rack", "b"}};
  const auto tell = [&] { return synchronize(*store_, leases_, "n1", request, now(clock_)).ok(); };
  ASSERT_TRUE(tell());
  EXPECT_EQ(node().metadata.labels, request.labels);
  const std::string version = node().metadata.resource_version;
  ASSERT_TRUE(tell());
  EXPECT_EQ(node().metadata.resource_version, version);
}

}  // namespace
}  // namespace paddock::nodes
