#include "controller/workspaces/own_blobs.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "controller/workspaces/trees.h"
#include "tests/support/temp_dir.h"

namespace paddock::workspaces {
namespace {

using contracts::Digest;
using contracts::Tree;
using contracts::TreeAnswer;

const store::Key kOurs{"ns-a", "w"};
const store::Key kOursToo{"ns-a", "v"};
const store::Key kTheirs{"ns-b", "w"};

class Possession : public testing::Test {
 protected:
  Possession() {
    for (const store::Key& key : {kOurs, kOursToo, kTheirs}) {
      contracts::Workspace workspace;
      workspace.metadata.name_space = key.name_space;
      workspace.metadata.name = key.name;
      workspace.metadata.uid = cat("uid-", key.name_space, "-", key.name);
      EXPECT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(workspace); }).ok());
    }
  }
  Digest send(const store::Key& key, const std::string& content) {
    const Digest digest = blobs_.put(content).value();
    shown_->add(key.name_space, digest);
    return digest;
  }
  static Tree tree_of(const Digest& digest, size_t size) {
    return Tree{{{"t.json", digest, static_cast<int64_t>(size), false}}};
  }
  Result<TreeAnswer> offer(const store::Key& key, const Tree& tree) {
    return offer_tree({*store_, blobs_, *members_, *shown_, max_tree_, max_blob_}, key, tree);
  }
  Digest store_file(const store::Key& key, const std::string& content) {
    const auto answer = offer(key, tree_of(send(key, content), content.size()));
    EXPECT_TRUE(answer.ok() && answer->stored);
    return answer->root;
  }
  // What was kept in memory is gone.
  void restart() {
    members_ = std::make_unique<TreeMembers>();
    shown_ = std::make_unique<ShownBlobs>();
  }
  void publish(const std::string& name_space, const Digest& root, int64_t files) {
    contracts::Volume volume;
    volume.metadata.name_space = name_space;
    volume.metadata.name = "results";
    volume.metadata.uid = "uid-results-" + name_space;
    contracts::VolumeVersion version;
    version.version = 1;
    version.root = root;
    version.files = files;
    volume.status.versions.push_back(version);
    EXPECT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(volume); }).ok());
  }

  test::TempDir folder_;
  cas::BlobStore blobs_ = cas::BlobStore::open(folder_ / "blobs").value();
  std::unique_ptr<store::Store> store_ = store::Store::open({}).value();
  std::unique_ptr<TreeMembers> members_ = std::make_unique<TreeMembers>();
  std::unique_ptr<ShownBlobs> shown_ = std::make_unique<ShownBlobs>();
  int64_t max_tree_ = 1000;
  int64_t max_blob_ = INT64_MAX;
};

// proves: WSM-13
TEST_F(Possession, ADigestIsNoKeyToWhatAnotherNamespaceSent) {
  const std::string secret = "their secret";
  const Digest root = store_file(kTheirs, secret);
  const Digest file = crypto::sha256_hex(secret);
  for (const Digest& digest : {file, root}) {
    // Neither that it is here is told, nor its size.
    for (const size_t size : {size_t{1}, secret.size()}) {
      const auto answer = offer(kOurs, tree_of(digest, size));
      ASSERT_TRUE(answer.ok()) << answer.error().describe();
      EXPECT_FALSE(answer->stored);
      EXPECT_EQ(answer->missing, std::vector{digest});
    }
  }
  // Who sends the same content has it.
  send(kOurs, secret);
  EXPECT_EQ(offer(kOurs, tree_of(file, 1)).error().reason, "TREE_SIZE_MISMATCH");
  EXPECT_TRUE(offer(kOurs, tree_of(file, secret.size()))->stored);
  EXPECT_TRUE(offer(kTheirs, tree_of(file, secret.size()))->stored);
}

TEST_F(Possession, WhatTheWorkspaceNamesIsNotSentAgain) {
  store_file(kOurs, "ours");
  restart();
  Tree tree = tree_of(crypto::sha256_hex("ours"), 4);
  EXPECT_TRUE(offer(kOurs, tree)->stored);
  tree.entries.push_back({"u", crypto::sha256_hex("new"), 3, false});
  EXPECT_EQ(offer(kOurs, tree)->missing, std::vector{crypto::sha256_hex("new")});
}

TEST_F(Possession, WhatTheNamespacesOtherWorkspacesAndVolumesNameIsNotSentAgain) {
  store_file(kOurs, "ours");
  const Digest result = blobs_.put("result").value();
  const Digest theirs = blobs_.put("their result").value();
  publish("ns-a", blobs_.put(cas::canonical_tree(tree_of(result, 6))).value(), 1);
  publish("ns-b", blobs_.put(cas::canonical_tree(tree_of(theirs, 12))).value(), 1);
  restart();
  EXPECT_TRUE(offer(kOursToo, tree_of(crypto::sha256_hex("ours"), 4))->stored);
  EXPECT_TRUE(offer(kOursToo, tree_of(result, 6))->stored);
  EXPECT_EQ(offer(kOursToo, tree_of(theirs, 12))->missing, std::vector{theirs});
}

TEST_F(Possession, ATreeThatIsTooLargeToLookAtIsPassedOver) {
  const Digest result = blobs_.put("result").value();
  publish("ns-a", blobs_.put(cas::canonical_tree(tree_of(result, 6))).value(),
          OwnBlobs::kMostEntries + 1);
  EXPECT_EQ(offer(kOurs, tree_of(result, 6))->missing, std::vector{result});
}

TEST_F(Possession, ATreeThatIsGoneFromTheDiskNamesNothing) {
  const Digest root = store_file(kOurs, "ours");
  restart();
  ASSERT_TRUE(blobs_.remove_unused(root, INT64_MAX).value());
  const Tree tree = tree_of(crypto::sha256_hex("ours"), 4);
  EXPECT_EQ(offer(kOurs, tree)->missing.size(), 1U);
  send(kOurs, "ours");
  EXPECT_TRUE(offer(kOurs, tree)->stored);
}

TEST_F(Possession, ATreeIsBoundedByWhatItsFilesHaveTogetherAndNotByItsBlobs) {
  const std::string content(400, 'x');
  const Digest digest = send(kOurs, content);
  Tree tree{{{"a", digest, 400, false}, {"b", digest, 400, false}}};
  EXPECT_TRUE(offer(kOurs, tree)->stored);
  tree.entries.push_back({"c", digest, 400, false});
  const auto refused = offer(kOurs, tree);
  EXPECT_EQ(refused.error().reason, "TREE_TOO_LARGE");
  EXPECT_EQ(refused.error().causes[0].field, "entries[2].size");
  EXPECT_NE(refused.error().message.find("1000 bytes"), std::string::npos);
  for (auto& entry : tree.entries) entry.size = INT64_MAX;  // their sum overflows
  EXPECT_EQ(offer(kOurs, tree).error().reason, "TREE_TOO_LARGE");
}

TEST_F(Possession, AFileThatIsTooLargeIsNamedBeforeItIsSent) {
  max_blob_ = 400;
  Tree tree{{{"a", Digest(64, 'a'), 400, false}, {"b", Digest(64, 'b'), 401, false}}};
  const auto refused = offer(kOurs, tree);
  EXPECT_EQ(refused.error().reason, "BLOB_TOO_LARGE");
  EXPECT_EQ(refused.error().causes[0].field, "entries[1].size");
  for (const char* fact : {"\"b\"", "401 B", "400"})
    EXPECT_NE(refused.error().message.find(fact), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("blobs.maxBlob"), std::string::npos);
}

TEST(ShownBlobs, ForgetTheOlderHalfOfTheNamespaceThatHoldsMost) {
  ShownBlobs shown(3, 8);
  const auto digest = [](int i) { return crypto::sha256_hex(cat(i)); };
  shown.add("small", digest(0));
  for (int i = 0; i < 1000; ++i) {
    shown.add("large", digest(i));
    EXPECT_TRUE(shown.has("large", digest(i)));
    if (i >= 2) {
      EXPECT_TRUE(shown.has("large", digest(i - 2)));
    }
    EXPECT_LE(shown.size(), 8U);
  }
  EXPECT_TRUE(shown.has("small", digest(0)));
  EXPECT_FALSE(shown.has("large", digest(0)));
  EXPECT_FALSE(shown.has("small", digest(999)));
  EXPECT_FALSE(shown.has("nobody", digest(0)));
  for (int i = 0; i < 1000; ++i) shown.add(cat("ns-", i), digest(i));
  EXPECT_LE(shown.size(), 8U);
}

}  // namespace
}  // namespace paddock::workspaces
