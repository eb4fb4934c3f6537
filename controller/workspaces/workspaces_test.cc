#include <gtest/gtest.h>

#include "common/cas/blob_store.h"
#include "controller/workspaces/blob_intake.h"
#include "controller/workspaces/tree_members.h"
#include "controller/workspaces/trees.h"
#include "tests/support/temp_dir.h"

namespace paddock::workspaces {
namespace {

using contracts::Tree;
using contracts::Workspace;

const store::Key kWorkspace{"default", "w"};

BlobSource source_of(const std::string& bytes) {
  return [bytes](const std::function<Status(std::string_view)>& take) { return take(bytes); };
}

class Uploads : public testing::Test {
 protected:
  Uploads() : root_(folder_.path() + "/blobs"), blobs_(cas::BlobStore::open(root_).value()) {
    limits_.quota = 100;
    limits_.max_blob = 60;
    limits_.min_free = 0;
    intake_ = BlobIntake::open(blobs_, root_, limits_).value();
    store_ = store::Store::open({}).value();
    Workspace workspace;
    workspace.metadata.name = "w";
    workspace.metadata.name_space = "default";
    workspace.metadata.uid = "uid-w";
    EXPECT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(workspace); }).ok());
  }
  Status send(const std::string& bytes) {
    TRY(intake_->receive(crypto::sha256_hex(bytes), static_cast<int64_t>(bytes.size()),
                         source_of(bytes)));
    shown_.add("default", crypto::sha256_hex(bytes));
    return {};
  }
  Result<contracts::TreeAnswer> offer(const store::Key& key, const Tree& tree) {
    return offer_tree({*store_, blobs_, members_, shown_, max_tree_}, key, tree);
  }
  static contracts::TreeEntry entry(const std::string& path, const std::string& content) {
    return {path, crypto::sha256_hex(content), static_cast<int64_t>(content.size()), false};
  }
  Workspace workspace() {
    Workspace out;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(out, txn.get<Workspace>(kWorkspace));
                      return {};
                    })
                    .ok());
    return out;
  }

  test::TempDir folder_;
  std::string root_;
  cas::BlobStore blobs_;
  BlobLimits limits_;
  std::unique_ptr<BlobIntake> intake_;
  std::unique_ptr<store::Store> store_;
  TreeMembers members_;
  ShownBlobs shown_;
  int64_t max_tree_ = 1000;
};

TEST_F(Uploads, AskForWhatIsMissingAndStoreTheTreeOnceNothingIs) {
  const Tree tree{{entry("a.py", "aaa"), entry("b.py", "bbb"), entry("c.py", "aaa")}};
  auto answer = offer(kWorkspace, tree).value();
  EXPECT_FALSE(answer.stored);
  EXPECT_EQ(answer.root, cas::tree_root(tree));
  EXPECT_EQ(answer.missing, (std::vector{crypto::sha256_hex("aaa"), crypto::sha256_hex("bbb")}));
  EXPECT_EQ(workspace().status.root, "");

  ASSERT_TRUE(send("aaa").ok());
  ASSERT_TRUE(send("bbb").ok());
  answer = offer(kWorkspace, tree).value();
  EXPECT_TRUE(answer.stored);
  EXPECT_TRUE(answer.missing.empty());
  EXPECT_EQ(workspace().status.root, answer.root);
  EXPECT_EQ(workspace().status.files, 3);
  EXPECT_EQ(workspace().status.bytes, 9);
  EXPECT_EQ(stored_tree(blobs_, answer.root).value().entries, tree.entries);
}

TEST_F(Uploads, ANodeMayReadTheBlobsThatATreeNamesAndTheTreesUsedLastAreRemembered) {
  limits_.quota = 10'000;
  intake_ = BlobIntake::open(blobs_, root_, limits_).value();
  const auto store = [&](const char* content) {
    EXPECT_TRUE(send(content).ok());
    return offer(kWorkspace, Tree{{entry("f", content)}}).value().root;
  };
  const cas::Digest first = store("aaa");
  const cas::Digest second = store("bbb");
  const cas::Digest third = store("ccc");
  TreeMembers members(2);
  EXPECT_TRUE(members.names(blobs_, first, crypto::sha256_hex("aaa")).value());
  EXPECT_FALSE(members.names(blobs_, first, crypto::sha256_hex("bbb")).value());
  EXPECT_FALSE(members.names(blobs_, first, first).value());
  EXPECT_FALSE(members.names(blobs_, first, "").value());
  EXPECT_TRUE(members.names(blobs_, second, crypto::sha256_hex("bbb")).value());
  EXPECT_TRUE(members.names(blobs_, first, crypto::sha256_hex("aaa")).value());
  EXPECT_TRUE(members.names(blobs_, third, crypto::sha256_hex("ccc")).value());
  EXPECT_EQ(members.entries(), 2U);
  // Gone from the disk, `second` is known to nobody, `first` still is: it was used after it.
  ASSERT_TRUE(blobs_.remove_unused(first, INT64_MAX).value() &&
              blobs_.remove_unused(second, INT64_MAX).value());
  EXPECT_TRUE(members.names(blobs_, first, crypto::sha256_hex("aaa")).value());
  EXPECT_FALSE(members.names(blobs_, second, crypto::sha256_hex("bbb")).ok());
}

TEST_F(Uploads, RecallATreeThatIsTheWorkspacesAndWhole) {
  TreeMembers members;
  const auto recalled = [&](const cas::Digest& root) {
    return recall_tree(*store_, blobs_, members, kWorkspace, root).value();
  };
  ASSERT_TRUE(send("aaa").ok());
  ASSERT_TRUE(send("bbb").ok());
  const cas::Digest first = offer(kWorkspace, Tree{{entry("f", "aaa")}}).value().root;
  EXPECT_TRUE(recalled(first).stored);
  EXPECT_EQ(recalled(first).root, first);
  const cas::Digest second = offer(kWorkspace, Tree{{entry("f", "bbb")}}).value().root;
  EXPECT_FALSE(recalled(first).stored);  // it is here, but not what a run would get
  EXPECT_TRUE(recalled(second).stored);
  ASSERT_TRUE(blobs_.remove_unused(crypto::sha256_hex("bbb"), INT64_MAX).value());
  EXPECT_FALSE(recalled(second).stored);  // an offer says what of it is missing
  EXPECT_EQ(recall_tree(*store_, blobs_, members, {"default", "x"}, first).error().reason,
            "WORKSPACE_NOT_FOUND");
}

TEST_F(Uploads, RefuseATreeWhoseSizesAreNotThoseOfItsBlobs) {
  ASSERT_TRUE(send("aaa").ok());
  Tree tree{{entry("a.py", "aaa")}};
  tree.entries[0].size = 4;
  const auto answer = offer(kWorkspace, tree);
  EXPECT_EQ(answer.error().reason, "TREE_SIZE_MISMATCH");
  EXPECT_EQ(answer.error().causes[0].field, "entries[0].size");
}

TEST_F(Uploads, NeedAWorkspaceAndATreeThatExist) {
  EXPECT_EQ(offer({"default", "x"}, Tree{}).error().reason, "WORKSPACE_NOT_FOUND");
  EXPECT_EQ(stored_tree(blobs_, "").error().reason, "TREE_NOT_FOUND");
}

TEST_F(Uploads, StoreNothingUnderAWrongDigestOrLength) {
  const std::string digest = crypto::sha256_hex("right");
  EXPECT_EQ(intake_->receive(digest, 5, source_of("wrong")).error().reason, "DIGEST_MISMATCH");
  EXPECT_EQ(intake_->receive(digest, 6, source_of("right")).error().reason, "BLOB_INCOMPLETE");
  EXPECT_EQ(intake_->receive(digest, 4, source_of("right")).error().reason, "BLOB_TOO_LARGE");
  EXPECT_EQ(intake_->receive(digest, -1, source_of("right")).error().reason, "LENGTH_REQUIRED");
  EXPECT_EQ(intake_->receive("../../etc/passwd", 5, source_of("right")).error().reason,
            "BAD_DIGEST");
  EXPECT_FALSE(blobs_.has(digest));
  EXPECT_EQ(intake_->used(), 0);
}

TEST_F(Uploads, StayWithinSizeQuotaAndDisk) {
  EXPECT_EQ(send(std::string(61, 'a')).error().code, Code::kTooLarge);
  ASSERT_TRUE(send(std::string(60, 'a')).ok());
  EXPECT_EQ(send(std::string(41, 'b')).error().reason, "BLOB_QUOTA_EXCEEDED");
  EXPECT_TRUE(send(std::string(60, 'a')).ok());  // the same again costs nothing
  EXPECT_TRUE(send(std::string(40, 'b')).ok());
  EXPECT_EQ(intake_->used(), 100);
  EXPECT_EQ(BlobIntake::open(blobs_, root_, limits_).value()->used(), 100);
  limits_.quota = 1000;
  limits_.min_free = int64_t{1} << 60;
  EXPECT_EQ(BlobIntake::open(blobs_, root_, limits_)
                .value()
                ->receive(crypto::sha256_hex("x"), 1, source_of("x"))
                .error()
                .reason,
            "DISK_FULL");
  const Status nothing = BlobIntake::open(blobs_, root_, limits_).value()->check_room(0);
  EXPECT_EQ(nothing.error().reason, "DISK_FULL");
}

TEST_F(Uploads, StayWithinTheQuotaBeforeWhatIsThereIsCounted) {
  ASSERT_TRUE(send(std::string(60, 'a')).ok());
  const auto later = BlobIntake::open(blobs_, root_, limits_, 90).value();
  EXPECT_FALSE(later->counted());
  EXPECT_EQ(later->used(), 90);
  EXPECT_EQ(later->check_room(11).error().reason, "BLOB_QUOTA_EXCEEDED");
  EXPECT_TRUE(later->receive(crypto::sha256_hex("ten bytes."), 10, source_of("ten bytes.")).ok());
  EXPECT_EQ(later->used(), 100);
  ASSERT_TRUE(later->count().ok());
  EXPECT_TRUE(later->counted());
  EXPECT_EQ(later->used(), 70);
}

// proves: WSM-13
TEST_F(Uploads, AreNotToldByTheQuotaWhatOthersStored) {
  const std::string stored(60, 'a');
  ASSERT_TRUE(send(stored).ok());
  const auto announce = [&](const std::string& bytes, bool shown) {
    return intake_->receive(crypto::sha256_hex(bytes), 60, source_of(bytes),
                            cas::Durability::kLater, shown);
  };
  const Status theirs = announce(stored, false);
  const Status nobodys = announce(std::string(60, 'b'), false);
  EXPECT_EQ(theirs.error().reason, "BLOB_QUOTA_EXCEEDED");
  EXPECT_EQ(theirs.error().describe(), nobodys.error().describe());
  EXPECT_TRUE(announce(stored, true).ok());
}

TEST_F(Uploads, TakeQuotaAsTheyArriveAndNotAsTheyAreAnnounced) {
  const std::string big(60, 'a');
  const std::string small(50, 'b');
  const auto status = intake_->receive(
      crypto::sha256_hex(big), 60, [&](const std::function<Status(std::string_view)>& take) {
        EXPECT_TRUE(send(small).ok());  // another's, while this one has only been announced
        return take(big);
      });
  EXPECT_EQ(status.error().reason, "BLOB_QUOTA_EXCEEDED");
  EXPECT_EQ(intake_->used(), 50);
  EXPECT_TRUE(send(std::string(50, 'c')).ok());  // what was dropped takes no quota any more
}

TEST_F(Uploads, CountABlobThatTwoSendAtOnceOnce) {
  const std::string bytes(40, 'a');
  const auto status = intake_->receive(crypto::sha256_hex(bytes), 40,
                                       [&](const std::function<Status(std::string_view)>& take) {
                                         EXPECT_TRUE(send(bytes).ok());
                                         return take(bytes);
                                       });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(intake_->used(), 40);
  EXPECT_EQ(BlobIntake::open(blobs_, root_, limits_).value()->used(), 40);
}

TEST_F(Uploads, CountTreesAsWellAndWhatIsRemovedNoMore) {
  ASSERT_TRUE(send("aaa").ok());
  const auto root = offer(kWorkspace, Tree{{entry("f", "aaa")}}).value().root;
  const int64_t tree = blobs_.size(root).value();
  EXPECT_EQ(intake_->used(), 3 + tree);
  EXPECT_EQ(BlobIntake::open(blobs_, root_, limits_).value()->used(), 3 + tree);
  limits_.quota = 2;
  EXPECT_EQ(BlobIntake::open(blobs_, root_, limits_).value()->check_room(0).error().reason,
            "BLOB_QUOTA_EXCEEDED");
  ASSERT_TRUE(blobs_.remove_unused(root, INT64_MAX).value());
  EXPECT_EQ(intake_->used(), 3);
}

}  // namespace
}  // namespace paddock::workspaces
