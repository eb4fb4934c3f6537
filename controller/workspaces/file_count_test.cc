#include "controller/workspaces/file_count.h"

#include <gtest/gtest.h>

#include "common/cas/blob_store.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::workspaces {
namespace {

class FileCountTest : public testing::Test {
 protected:
  std::unique_ptr<BlobIntake> intake(std::optional<int64_t> told = {}) {
    return BlobIntake::open(blobs_, folder_ / "blobs", {}, told).value();
  }
  std::optional<int64_t> told() { return FileCount::told(*store_).value(); }

  const test::TempDir folder_;
  const std::unique_ptr<store::Store> store_ = store::Store::open({}).value();
  const cas::BlobStore blobs_ = cas::BlobStore::open(folder_ / "blobs").value();
};

TEST_F(FileCountTest, TellsTheNextLeaderWhatItCountedAndNothingElse) {
  EXPECT_FALSE(told()) << "nobody has counted";
  ASSERT_TRUE(blobs_.put("content").ok());
  const auto later = intake(1'000);
  FileCount count(*store_, blobs_, *later);
  ASSERT_TRUE(count.tell().ok());
  EXPECT_FALSE(told()) << "what it was told itself is not passed on";
  ASSERT_TRUE(count.begin().ok());
  ASSERT_TRUE(count.tell().ok());
  EXPECT_EQ(told(), 7);
  ASSERT_TRUE(blobs_.put("more").ok());
  ASSERT_TRUE(count.tell().ok());
  EXPECT_EQ(told(), 11);
}

TEST_F(FileCountTest, TellsWhatWasAddedBeforeAllIsCounted) {
  const auto later = intake(1'000);
  FileCount count(*store_, blobs_, *later);
  ASSERT_TRUE(blobs_.put("more").ok());
  ASSERT_TRUE(count.tell().ok());
  EXPECT_EQ(told(), 1'004);
}

TEST_F(FileCountTest, IsNotCountedTwiceAtTheStart) {
  const auto counted = intake();
  FileCount count(*store_, blobs_, *counted);
  ASSERT_TRUE(os::remove_tree(folder_ / "blobs").ok());
  EXPECT_TRUE(count.begin().ok()) << "it looks at no folder";
  EXPECT_FALSE(count.count().ok());
}

}  // namespace
}  // namespace paddock::workspaces
