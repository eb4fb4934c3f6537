#include "controller/workspaces/stored_bytes.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "common/crypto/digest.h"
#include "controller/store/run_writes.h"
#include "controller/workspaces/trees.h"
#include "tests/support/temp_dir.h"

namespace paddock::workspaces {
namespace {

constexpr int64_t kKi = 1024;
constexpr Millis kKeep = std::chrono::hours(24);

// Two namespaces, each with 100 KiB.
class StoredBytesTest : public testing::Test {
 protected:
  // Sends a file of so many KiB to a namespace; the reason, if it does not take it.
  std::string send(const std::string& name_space, int64_t ki, char letter = 'a') {
    auto room = stored_.take(name_space, ki * kKi);
    if (!room) return room.error().reason;
    (*room)->keep(put(ki, letter));
    return "";
  }
  cas::Digest put(int64_t ki, char letter) {
    return blobs_.put(std::string(static_cast<size_t>(ki * kKi), letter)).value();
  }
  // A run that ended and left a file of so many KiB.
  void add_run(const std::string& name_space, const std::string& name, int64_t ki, char letter) {
    contracts::Run run;
    run.metadata.name = name;
    run.metadata.name_space = name_space;
    run.metadata.uid = cat("uid-", name_space, "-", name);
    run.spec.command.argv = {"python3", "f"};
    run.status.phase = contracts::RunPhase::kSucceeded;
    run.status.artifacts = {{"out/f", ki * kKi, put(ki, letter), false}};
    ASSERT_TRUE(
        store_->write([&](store::WriteTxn& txn) { return store::create_run(txn, run, {}); }).ok());
  }
  void erase_run(const std::string& name_space, const std::string& name) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) {
                      return txn.erase<contracts::Run>({name_space, name});
                    })
                    .ok());
  }
  // As the sweeper does, once nobody needs it.
  void sweep(int64_t ki, char letter) {
    const std::string bytes(static_cast<size_t>(ki * kKi), letter);
    ASSERT_TRUE(blobs_.remove_unused(crypto::sha256_hex(bytes), INT64_MAX / 1000).value());
  }
  int64_t used_ki(const std::string& name_space) const {
    return stored_.use_of(name_space).used / kKi;
  }

  test::TempDir folder_;
  cas::BlobStore blobs_ = cas::BlobStore::open(folder_.path() + "/blobs").value();
  std::unique_ptr<store::Store> store_ = store::Store::open({}).value();
  ManualClock clock_;
  StoredBytes stored_{*store_, blobs_, {100 * kKi, {{"rich", 1000 * kKi}}}, kKeep, clock_};
};

TEST_F(StoredBytesTest, ANamespaceTakesItsShareAndLeavesOthersTheirs) {
  EXPECT_EQ(send("a", 60), "");
  EXPECT_EQ(send("a", 50, 'b'), "NAMESPACE_QUOTA_EXCEEDED");
  EXPECT_EQ(send("a", 40, 'c'), "");
  EXPECT_EQ(send("b", 100, 'd'), "");
  EXPECT_EQ(send("rich", 1000, 'e'), "");
  EXPECT_EQ(used_ki("a"), 100);
}

TEST_F(StoredBytesTest, TheRefusalSaysHowMuchThereIsAndWhatWouldHelp) {
  EXPECT_EQ(send("a", 90), "");
  const auto refused = stored_.take("a", 20 * kKi);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kTooLarge);
  for (const char* fact : {"100.0 KiB", "90.0 KiB", "scheduling.quotas.a.stored"})
    EXPECT_NE(refused.error().message.find(fact), std::string::npos) << refused.error().message;
}

TEST_F(StoredBytesTest, UploadsUnderWayCountAndThoseThatFailDoNot) {
  {
    const auto first = stored_.take("a", 70 * kKi);
    ASSERT_TRUE(first.ok());
    EXPECT_FALSE(stored_.take("a", 70 * kKi).ok());
    EXPECT_TRUE(stored_.take("b", 70 * kKi).ok());
  }
  EXPECT_EQ(used_ki("a"), 0);
}

TEST_F(StoredBytesTest, WhatRunsLeftIsCountedFromTheStart) {
  add_run("a", "r", 80, 'r');
  ASSERT_TRUE(stored_.count_all().ok());
  EXPECT_EQ(used_ki("a"), 80);
  EXPECT_EQ(used_ki("b"), 0);
  EXPECT_EQ(send("a", 30), "NAMESPACE_QUOTA_EXCEEDED");
}

TEST_F(StoredBytesTest, AFileCountsOnceWhoeverNamesItAndForEachNamespaceThatDoes) {
  add_run("a", "one", 40, 'x');
  add_run("a", "two", 40, 'x');
  add_run("b", "one", 40, 'x');
  EXPECT_EQ(send("a", 40, 'x'), "");
  ASSERT_TRUE(stored_.count_all().ok());
  EXPECT_EQ(used_ki("a"), 40);
  EXPECT_EQ(used_ki("b"), 40);
}

TEST_F(StoredBytesTest, AFileWithTheBytesOfATreeHidesNothingOfIt) {
  contracts::Tree tree;
  tree.entries = {{"big", put(40, 'x'), 40 * kKi, false}};
  const std::string text = cas::canonical_tree(tree);
  const cas::Digest root = blobs_.put(text).value();
  contracts::Run run;
  run.metadata.name = "r";
  run.metadata.name_space = "a";
  run.metadata.uid = "uid-r";
  run.spec.command.argv = {"python3", "f"};
  run.status.phase = contracts::RunPhase::kRunning;
  run.status.workspace_root = root;
  run.status.artifacts = {{"out/f", static_cast<int64_t>(text.size()), root, false}};
  ASSERT_TRUE(
      store_->write([&](store::WriteTxn& txn) { return store::create_run(txn, run, {}); }).ok());
  ASSERT_TRUE(stored_.count_all().ok());
  EXPECT_GE(used_ki("a"), 40);
}

// Else whoever sends and deletes in turn would fill the disk of all.
TEST_F(StoredBytesTest, WhatIsDeletedCountsUntilItIsSwept) {
  add_run("a", "r", 80, 'r');
  ASSERT_TRUE(stored_.count_all().ok());
  erase_run("a", "r");
  clock_.advance(Millis(10'000));
  EXPECT_EQ(send("a", 90), "NAMESPACE_QUOTA_EXCEEDED");
  sweep(80, 'r');
  EXPECT_EQ(send("a", 90), "NAMESPACE_QUOTA_EXCEEDED") << "it was counted just now";
  clock_.advance(Millis(10'000));
  EXPECT_EQ(send("a", 90), "");
}

TEST_F(StoredBytesTest, WhatAnotherNamespaceStillNeedsIsNotCountedForEver) {
  add_run("a", "r", 80, 'x');
  add_run("b", "r", 80, 'x');
  ASSERT_TRUE(stored_.count_all().ok());
  erase_run("a", "r");
  ASSERT_TRUE(stored_.count_all().ok());
  EXPECT_EQ(used_ki("a"), 80);
  clock_.advance(kKeep + Millis(1));
  ASSERT_TRUE(stored_.count_all().ok());
  EXPECT_EQ(used_ki("a"), 0);
  EXPECT_EQ(used_ki("b"), 80);
}

// Whoever sends and names nothing is not forgotten because it is counted anew.
TEST_F(StoredBytesTest, WhatWasSentStaysCountedUntilItIsGone) {
  EXPECT_EQ(send("a", 90), "");
  clock_.advance(Millis(10'000));
  EXPECT_EQ(send("a", 20, 'b'), "NAMESPACE_QUOTA_EXCEEDED");
  ASSERT_TRUE(stored_.count_all().ok());
  EXPECT_EQ(used_ki("a"), 90);
  sweep(90, 'a');
  ASSERT_TRUE(stored_.count_all().ok());
  EXPECT_EQ(used_ki("a"), 0);
}

TEST_F(StoredBytesTest, ManySmallFilesAreNoSmallMatter) {
  int taken = 0;
  for (int i = 0; i < 50; ++i) {
    auto room = stored_.take("a", 1);
    if (!room) break;
    (*room)->keep(blobs_.put(cat(i)).value());
    ++taken;
  }
  EXPECT_EQ(taken, 25);  // each takes a block
}

}  // namespace
}  // namespace paddock::workspaces
