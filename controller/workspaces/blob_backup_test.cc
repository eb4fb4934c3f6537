// Files of a backup: kept without room, and put back whole or named.
#include "controller/workspaces/blob_backup.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "controller/store/run_writes.h"
#include "controller/workspaces/trees.h"
#include "tests/support/temp_dir.h"

namespace paddock::workspaces {
namespace {

using contracts::Digest;
using contracts::Tree;

class BlobBackup : public testing::Test {
 protected:
  BlobBackup() {
    contracts::Workspace workspace;
    workspace.metadata.name = "w";
    workspace.metadata.name_space = "default";
    workspace.metadata.uid = "uid-w";
    EXPECT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(workspace); }).ok());
    file_ = blobs_.put("content of the file").value();
    const Tree tree{{{"f", file_, 19, false}}};
    TreeMembers members;
    ShownBlobs shown;
    shown.add("default", file_);
    root_ = offer_tree({*store_, blobs_, members, shown}, {"default", "w"}, tree).value().root;
    other_ = blobs_.put("of nobody").value();
  }
  std::string path(const std::string& folder, const Digest& digest) {
    return cat(folder_ / folder, "/", digest.substr(0, 2), "/", digest);
  }
  // Other bytes under the same name, in this folder alone.
  void damage(const std::string& folder, const Digest& digest) {
    std::filesystem::remove(path(folder, digest));
    std::ofstream(path(folder, digest)) << "something else";
  }
  RestoredBlobs restore() { return restore_blobs(*store_, blobs_, kept_).value(); }

  test::TempDir folder_;
  std::unique_ptr<store::Store> store_ = std::move(store::Store::open({})).value();
  cas::BlobStore blobs_ = cas::BlobStore::open(folder_ / "blobs").value();
  const std::string kept_ = folder_ / "kept";
  Digest file_;
  Digest root_;
  Digest other_;
};

TEST_F(BlobBackup, KeepsEveryBlobUnderASecondNameOnce) {
  const KeptBlobs kept = keep_blobs(blobs_, kept_).value();
  EXPECT_EQ(kept.blobs, 3);
  EXPECT_EQ(kept.bytes, blobs_.size(file_).value() + blobs_.size(root_).value() + 9);
  struct stat info {};
  ASSERT_EQ(::stat(path("kept", file_).c_str(), &info), 0);
  EXPECT_EQ(info.st_nlink, 2u) << "no room of its own";
  EXPECT_EQ(keep_blobs(blobs_, kept_).error().reason, "BACKUP_EXISTS");
  EXPECT_FALSE(std::filesystem::exists(kept_ + ".partial"));
}

TEST_F(BlobBackup, GivesBackWhatTheStoreNamesAndLost) {
  ASSERT_TRUE(keep_blobs(blobs_, kept_).ok());
  EXPECT_EQ(restore().put_back, 0) << "all is there";
  for (const Digest& each : {file_, root_, other_})
    ASSERT_TRUE(blobs_.remove_unused(each, INT64_MAX).value());
  const RestoredBlobs restored = restore();
  EXPECT_EQ(restored.put_back, 2) << "what nothing names stays away";
  EXPECT_TRUE(restored.faults.empty());
  EXPECT_EQ(blobs_.read(file_, 100).value(), "content of the file");
  EXPECT_FALSE(blobs_.has(other_));
}

TEST_F(BlobBackup, ReplacesWhatIsDamaged) {
  ASSERT_TRUE(keep_blobs(blobs_, kept_).ok());
  damage("blobs", file_);
  damage("blobs", root_);
  const RestoredBlobs restored = restore();
  EXPECT_EQ(restored.put_back, 2);
  EXPECT_TRUE(restored.faults.empty());
  EXPECT_EQ(blobs_.read(file_, 100).value(), "content of the file");
}

TEST_F(BlobBackup, NamesWhatNobodyHasWhole) {
  ASSERT_TRUE(keep_blobs(blobs_, kept_).ok());
  damage("blobs", file_);
  damage("kept", file_);
  RestoredBlobs restored = restore();
  ASSERT_EQ(restored.faults.size(), 1u);
  EXPECT_EQ(restored.faults[0].digest, file_);
  EXPECT_TRUE(restored.faults[0].damaged);
  std::filesystem::remove(path("blobs", file_));
  restored = restore();
  ASSERT_EQ(restored.faults.size(), 1u);
  EXPECT_TRUE(restored.faults[0].damaged) << "the backup's is";
  EXPECT_FALSE(blobs_.has(file_)) << "and does not come in";
  std::filesystem::remove(path("kept", file_));
  restored = restore();
  ASSERT_EQ(restored.faults.size(), 1u);
  EXPECT_FALSE(restored.faults[0].damaged);
}

TEST_F(BlobBackup, OfAStoreAloneOnlyChecks) {
  EXPECT_TRUE(restore().faults.empty());
  ASSERT_TRUE(blobs_.remove_unused(root_, INT64_MAX).value());
  const RestoredBlobs restored = restore();
  ASSERT_EQ(restored.faults.size(), 1u) << "what is in a tree that is gone is not known";
  EXPECT_EQ(restored.faults[0].digest, root_);
}

}  // namespace
}  // namespace paddock::workspaces
