// What a node says is checked: the content that it names, its codes, how much it says.
#include <cstdio>

#include "common/cas/tree.h"
#include "common/contracts/finished_artifacts.h"
#include "controller/api/node_test_support.h"

namespace paddock::api {
namespace {

class NodeClaims : public NodeApiTest {
 protected:
  void SetUp() override {
    credential_ = enroll();
    sync_.process = "process-1";
    sync_.status.emplace().capacity.max_runs = 4;
    ASSERT_EQ(synchronize().status, 200);
    sync_.status.reset();
  }
  void add_run(const std::string& name, const std::string& publish = {},
               const std::string& root = {}) {
    contracts::Run run;
    run.metadata.name = name;
    run.metadata.name_space = "team-a";
    run.metadata.uid = cat("uid-", name);
    run.spec.command.argv = {"python3", "s.py"};
    run.spec.artifacts.dirs = {"out"};
    run.spec.publish = publish;
    run.status.phase = contracts::RunPhase::kRunning;
    run.status.node_name = "n1";
    run.status.attempt = 1;
    run.status.workspace_root = root;
    ASSERT_TRUE(
        store_->write([&](store::WriteTxn& txn) { return store::create_run(txn, run, {}); }).ok());
  }
  Answer put(const std::string& run, const std::string& bytes) {
    const std::string target =
        cat(kNodes, "/n1/runs/uid-", run, "/artifacts/", crypto::sha256_hex(bytes));
    return send(request_of("PUT", target, credential_), bytes);
  }
  Answer synchronize() {
    return send(request_of("POST", cat(kNodes, "/n1/synchronize"), credential_),
                wire::encode_json(sync_));
  }
  Answer seen() { return call("GET", cat(kNodes, "/n1")); }
  // The node says that the run ended well and left this content.
  Answer report(const std::string& run, const std::string& bytes,
                const std::string& path = "out/f.txt") {
    sync_.runs = {{}};
    sync_.runs[0].run_uid = cat("uid-", run);
    sync_.runs[0].attempt = 1;
    contracts::RunOutcome& outcome = sync_.runs[0].outcome.emplace();
    outcome.phase = contracts::RunPhase::kSucceeded;
    outcome.artifacts = {
        {path, static_cast<int64_t>(bytes.size()), crypto::sha256_hex(bytes), false}};
    return synchronize();
  }
  // The node names this content as finished before the run's end.
  Answer finish(const std::string& run, const std::string& bytes) {
    contracts::FinishedArtifacts finished{1, {}};
    finished.items = {
        {"out/f.txt", static_cast<int64_t>(bytes.size()), crypto::sha256_hex(bytes), false}};
    const std::string target = cat(kNodes, "/n1/runs/uid-", run, "/artifacts");
    return send(request_of("POST", target, credential_), wire::encode_json(finished));
  }
  contracts::RunStatus status_of(const std::string& name) {
    const Answer answer =
        call("GET", cat("/apis/paddock.dev/v1alpha1/namespaces/team-a/runs/", name));
    return wire::decode<contracts::Run>(answer.body).value().status;
  }
  Answer artifact(const std::string& run) {
    return call("GET", cat("/apis/paddock.dev/v1alpha1/namespaces/team-a/runs/", run,
                           "/artifacts/out/f.txt"));
  }

  std::string credential_;
  contracts::SyncRequest sync_;
};

TEST_F(NodeClaims, OfItselfAreBounded) {
  sync_.status.emplace().capacity.max_runs = 4;
  sync_.status->devices.assign(2'000, {.kind = "nvidia", .id = std::string(3'000, 'x')});
  ASSERT_EQ(synchronize().status, 200);
  EXPECT_LT(seen().text.size(), size_t{300} << 10);
}

TEST_F(NodeClaims, AFileOfARunThatLivesWasSentForThatRun) {
  add_run("other");
  add_run("r");
  ASSERT_EQ(put("other", "secret").status, 201);
  EXPECT_EQ(finish("r", "secret").reason(), "BLOB_NOT_FOUND");
  EXPECT_TRUE(status_of("r").artifacts.empty());
  ASSERT_LT(put("r", "secret").status, 300);
  EXPECT_EQ(finish("r", "secret").status, 200);
  EXPECT_EQ(status_of("r").artifacts.size(), 1u);
}

TEST_F(NodeClaims, WhatItSentForTheRunIsTheRuns) {
  add_run("r");
  ASSERT_EQ(put("r", "a result").status, 201);
  ASSERT_EQ(report("r", "a result").status, 200);
  EXPECT_EQ(status_of("r").phase, contracts::RunPhase::kSucceeded);
  EXPECT_EQ(artifact("r").status, 200);
}

// As of a mount that went away between the file and the outcome.
TEST_F(NodeClaims, WhatItSentStaysTheRunsWhileTheStorageIsAway) {
  add_run("r");
  add_run("liar");
  ASSERT_EQ(put("r", "a result").status, 201);
  const std::string folder = folder_ / "blobs";
  const std::string elsewhere = folder_ / "elsewhere";
  ASSERT_EQ(::rename(folder.c_str(), elsewhere.c_str()), 0);
  ASSERT_EQ(report("r", "a result").status, 200);
  EXPECT_EQ(status_of("r").phase, contracts::RunPhase::kSucceeded);
  EXPECT_EQ(artifact("r").status, 503);
  ASSERT_EQ(report("liar", "a result").status, 200);
  EXPECT_EQ(status_of("liar").reason, "ARTIFACT_NOT_SENT");
  ASSERT_EQ(::rename(elsewhere.c_str(), folder.c_str()), 0);
  EXPECT_EQ(artifact("r").status, 200);
}

TEST_F(NodeClaims, ADigestOpensNothingThatItDidNotSend) {
  const std::string secret = "the secret of team-b";
  ASSERT_TRUE(blobs_.put(secret).ok());
  add_run("r");
  ASSERT_EQ(report("r", secret).status, 200);
  const contracts::RunStatus ended = status_of("r");
  EXPECT_EQ(ended.phase, contracts::RunPhase::kFailed);
  EXPECT_EQ(ended.reason, "ARTIFACT_NOT_SENT");
  EXPECT_TRUE(ended.artifacts.empty());
  EXPECT_EQ(artifact("r").status, 404);
}

TEST_F(NodeClaims, WhatItSentForOneRunIsNotAnothers) {
  add_run("one");
  add_run("two");
  ASSERT_EQ(put("one", "a result").status, 201);
  ASSERT_EQ(report("two", "a result").status, 200);
  EXPECT_EQ(status_of("two").reason, "ARTIFACT_NOT_SENT");
}

TEST_F(NodeClaims, NothingIsPublishedThatItDidNotSend) {
  const std::string secret = "the secret of team-b";
  ASSERT_TRUE(blobs_.put(secret).ok());
  add_run("r", "stolen");
  ASSERT_EQ(report("r", secret).status, 200);
  EXPECT_EQ(status_of("r").reason, "ARTIFACT_NOT_SENT");
  EXPECT_EQ(call("GET", "/apis/paddock.dev/v1alpha1/namespaces/team-a/volumes/stolen").status, 404);
}

TEST_F(NodeClaims, WhatTheRunReadItMayName) {
  const std::string file = "a file of the project";
  const contracts::Tree tree{
      {{"f.txt", blobs_.put(file).value(), static_cast<int64_t>(file.size()), false}}};
  add_run("r", {}, blobs_.put(cas::canonical_tree(tree)).value());
  ASSERT_EQ(report("r", file).status, 200);
  EXPECT_EQ(status_of("r").phase, contracts::RunPhase::kSucceeded);
}

TEST_F(NodeClaims, AnotherSizeThanItHasIsNoArtifact) {
  add_run("r");
  ASSERT_EQ(put("r", "a result").status, 201);
  (void)report("r", "a result");
  add_run("s");
  ASSERT_EQ(put("s", "a result").status, 201);
  sync_.runs[0].run_uid = "uid-s";
  sync_.runs[0].outcome->artifacts[0].size = 1'000'000;
  ASSERT_EQ(synchronize().status, 200);
  EXPECT_EQ(status_of("s").reason, "ARTIFACT_NOT_SENT");
}

TEST_F(NodeClaims, PathsAndCodesAreCheckedLikeAnyoneElses) {
  add_run("r");
  ASSERT_EQ(put("r", "a result").status, 201);
  ASSERT_EQ(report("r", "a result", "../../x").status, 200);
  EXPECT_EQ(status_of("r").reason, "ARTIFACT_NOT_SENT");
  add_run("s");
  sync_.runs = {{}};
  sync_.runs[0].run_uid = "uid-s";
  sync_.runs[0].attempt = 1;
  sync_.runs[0].outcome.emplace().reason = "EVIL\r\nSet-Cookie: a=b";
  ASSERT_EQ(synchronize().status, 200);
  EXPECT_EQ(status_of("s").reason, "NODE_CODE_INVALID");
}

TEST_F(NodeClaims, MoreOutputThanACallMayCarryIsRefused) {
  add_run("r");
  sync_.runs = {{}};
  sync_.runs[0].run_uid = "uid-r";
  sync_.runs[0].attempt = 1;
  sync_.runs[0].output = {{1, 0, "stdout", base64(std::string(size_t{1} << 20, 'x'))}};
  const Answer refused = synchronize();
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.reason(), "OUTPUT_TOO_LARGE");
}

// What was sent belongs to the run until it ends, and is forgotten then.
TEST_F(NodeClaims, WhatWasSentIsForgottenWithTheRunsEnd) {
  add_run("r");
  ASSERT_EQ(put("r", "a result").status, 201);
  const auto sent = [&] {
    bool found = false;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(found,
                                       txn.was_sent("uid-r", crypto::sha256_hex("a result")));
                      return {};
                    })
                    .ok());
    return found;
  };
  EXPECT_TRUE(sent());
  ASSERT_EQ(report("r", "a result").status, 200);
  EXPECT_FALSE(sent());
}

}  // namespace
}  // namespace paddock::api
