#include "controller/workspaces/sweeper.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "controller/store/run_writes.h"
#include "controller/workspaces/blob_intake.h"
#include "controller/workspaces/trees.h"
#include "tests/support/temp_dir.h"

namespace paddock::workspaces {
namespace {

using contracts::Digest;
using contracts::Tree;

const store::Key kKey{"default", "w"};
constexpr WallTime kNow{10'000'000'000};  // all blobs of these tests were used last at second 100

class Sweeping : public testing::Test {
 protected:
  Sweeping() {
    contracts::Workspace workspace;
    workspace.metadata.name = "w";
    workspace.metadata.name_space = "default";
    workspace.metadata.uid = "uid-w";
    EXPECT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(workspace); }).ok());
  }
  void age(const Digest& digest) const {
    const timespec times[2] = {{100, 0}, {100, 0}};
    const std::string path = cat(root_, "/", digest.substr(0, 2), "/", digest);
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  Digest put(const std::string& bytes) {
    const Digest digest = crypto::sha256_hex(bytes);
    const auto source = [&](const std::function<Status(std::string_view)>& take) {
      return take(bytes);
    };
    EXPECT_TRUE(intake_->receive(digest, static_cast<int64_t>(bytes.size()), source).ok());
    shown_.add("default", digest);
    age(digest);
    return digest;
  }
  // The workspace's tree is one file with this content.
  Digest offer(const std::string& content) {
    const Tree tree{{{"f", put(content), static_cast<int64_t>(content.size()), false}}};
    const auto answer = offer_tree({*store_, blobs_, members_, shown_}, kKey, tree);
    EXPECT_TRUE(answer.ok() && answer->stored);
    const auto stored = blobs_.list().value();
    for (const auto& each : stored) age(each.digest);
    return answer->root;
  }
  void add_run(const std::string& name, contracts::RunPhase phase, const Digest& root,
               const Digest& artifact = {}) {
    contracts::Run run;
    run.metadata.name = name;
    run.metadata.name_space = "default";
    run.metadata.uid = "uid-" + name;
    run.spec.command.argv = {"python3", "f"};
    run.status.phase = phase;
    run.status.workspace_root = root;
    if (!artifact.empty()) run.status.artifacts.push_back({"out/x", 1, artifact});
    EXPECT_TRUE(
        store_->write([&](store::WriteTxn& txn) { return store::create_run(txn, run, {}); }).ok());
  }
  int64_t sweep() { return sweeper_.sweep(kNow).value().blobs; }
  int64_t sweep_twice() { return sweep() + sweep(); }

  test::TempDir folder_;
  std::string root_ = folder_.path() + "/blobs";
  cas::BlobStore blobs_ = cas::BlobStore::open(root_).value();
  std::unique_ptr<BlobIntake> intake_ = BlobIntake::open(blobs_, root_, {1000, 1000, 0}).value();
  std::unique_ptr<store::Store> store_ = store::Store::open({}).value();
  TreeMembers members_;
  ShownBlobs shown_;
  Sweeper sweeper_{*store_, blobs_, std::chrono::hours(24)};
};

// It may need any of them.
TEST_F(Sweeping, NothingGoesWhileARunCannotBeRead) {
  const Digest kept = put("an artifact");
  const Digest stray = put("stray");
  contracts::Run damaged;
  damaged.metadata.name = "damaged";
  damaged.metadata.name_space = "default";
  damaged.metadata.uid = "uid-damaged";
  damaged.metadata.generation = -1;
  damaged.status.phase = contracts::RunPhase::kSucceeded;
  damaged.status.artifacts.push_back({"out/x", 11, kept});
  const store::Key key{"default", "damaged"};
  ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(damaged); }).ok());
  for (int i = 0; i < 2; ++i) {
    const auto swept = sweeper_.sweep(kNow);
    ASSERT_FALSE(swept.ok());
    EXPECT_EQ(swept.error().reason, "STORE_DATA_INVALID");
    EXPECT_NE(swept.error().describe().find("default/damaged"), std::string::npos);
  }
  EXPECT_TRUE(blobs_.has(kept));
  ASSERT_TRUE(
      store_->write([&](store::WriteTxn& txn) { return txn.erase<contracts::Run>(key); }).ok());
  EXPECT_EQ(sweep_twice(), 2);
  EXPECT_FALSE(blobs_.has(stray));
}

TEST_F(Sweeping, KeepsTheTreesOfWorkspacesAndRemovesOldOnes) {
  const Digest old = offer("old");
  const Digest current = offer("new");
  EXPECT_EQ(sweep_twice(), 2);
  EXPECT_FALSE(blobs_.has(old));
  EXPECT_FALSE(blobs_.has(crypto::sha256_hex("old")));
  EXPECT_TRUE(blobs_.has(current));
  EXPECT_TRUE(blobs_.has(crypto::sha256_hex("new")));
}

TEST_F(Sweeping, KeepsVersionsOfVolumesAndWhatARunStillReads) {
  const Digest dropped = offer("dropped");
  const Digest read = offer("read");
  const Digest kept = offer("kept");
  const Digest current = offer("new");
  contracts::Volume volume;
  volume.metadata.name = "v";
  volume.metadata.name_space = "default";
  volume.metadata.uid = "uid-v";
  volume.status.versions.push_back({.version = 2, .root = kept, .run = {}, .run_uid = {}});
  contracts::Run run;
  run.metadata.name = "reader";
  run.metadata.name_space = "default";
  run.metadata.uid = "uid-reader";
  run.spec.command.argv = {"python3", "f"};
  run.status.volumes = {{"v", 1, read}};
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    TRY(txn.create(volume));
                    return store::create_run(txn, run, {});
                  })
                  .ok());
  EXPECT_EQ(sweep_twice(), 2);
  EXPECT_FALSE(blobs_.has(dropped));
  for (const char* content : {"read", "kept", "new"})
    EXPECT_TRUE(blobs_.has(crypto::sha256_hex(content))) << content;
  EXPECT_TRUE(blobs_.has(read) && blobs_.has(kept) && blobs_.has(current));
}

TEST_F(Sweeping, NeverTakesATreeFromARunThatHasNotEnded) {
  const Digest old = offer("old");
  add_run("active", contracts::RunPhase::kRunning, old);
  offer("new");
  EXPECT_EQ(sweep_twice(), 0);
  EXPECT_TRUE(blobs_.has(crypto::sha256_hex("old")));
}

TEST_F(Sweeping, LeavesOfARunThatEndedItsArtifactsAlone) {
  const Digest old = offer("old");
  const Digest artifact = put("artifact");
  add_run("over", contracts::RunPhase::kSucceeded, old, artifact);
  offer("new");
  EXPECT_EQ(sweep_twice(), 2);
  EXPECT_TRUE(blobs_.has(artifact));
}

TEST_F(Sweeping, WantsToFindABlobUnneededTwice) {
  const Digest old = offer("old");
  offer("new");
  EXPECT_EQ(sweep(), 0);
  add_run("late", contracts::RunPhase::kPending, old);  // it was being created during that sweep
  EXPECT_EQ(sweep(), 0);
  EXPECT_TRUE(blobs_.has(old));
}

TEST_F(Sweeping, SparesWhatWasUsedLately) {
  const Digest digest = put("sent for a tree that is not stored yet");
  EXPECT_TRUE(blobs_.use(digest));
  const WallTime now = SystemClock().wall();
  EXPECT_EQ(sweeper_.sweep(now)->blobs + sweeper_.sweep(now)->blobs, 0);
  EXPECT_TRUE(blobs_.has(digest));
}

TEST_F(Sweeping, AnOfferUsesWhatItFinds) {
  put("again");
  EXPECT_EQ(sweep(), 0);
  const Tree tree{{{"f", crypto::sha256_hex("again"), 5, false}, {"g", Digest(64, 'a'), 1, false}}};
  EXPECT_EQ(offer_tree({*store_, blobs_, members_, shown_}, kKey, tree)->missing.size(), 1u);
  EXPECT_EQ(sweeper_.sweep(SystemClock().wall())->blobs, 0);
  EXPECT_TRUE(blobs_.has(crypto::sha256_hex("again")));
}

TEST_F(Sweeping, GivesTheSpaceBack) {
  put(std::string(600, 'x'));
  EXPECT_EQ(intake_->used(), 600);
  sweep_twice();
  EXPECT_EQ(intake_->used(), 0);
}

}  // namespace
}  // namespace paddock::workspaces
