#include "controller/app/lost_database.h"

#include <unistd.h>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "controller/store/store.h"
#include "tests/support/temp_dir.h"

namespace paddock::app {
namespace {

class LostDatabase : public testing::Test {
 protected:
  std::string found() {
    const Status there = check_database_is_there(folder_.path());
    return there.ok() ? "" : there.error().reason.str();
  }
  void add_blob() {
    ASSERT_TRUE(os::make_dirs(folder_ / "blobs/ab").ok());
    folder_.write("blobs/ab/abcd", "x");
  }
  std::string db() const { return folder_ / "paddock.db"; }
  const test::TempDir folder_;
};

TEST_F(LostDatabase, ANewFolderIsANewInstance) {
  EXPECT_EQ(found(), "");
  ASSERT_TRUE(os::make_dirs(folder_ / "blobs/tmp").ok());
  EXPECT_EQ(found(), "");
}

TEST_F(LostDatabase, FilesWithoutOneAreNot) {
  add_blob();
  EXPECT_EQ(found(), "STORE_MISSING");
  folder_.write("paddock.db", "");
  EXPECT_EQ(found(), "STORE_MISSING") << "emptied";
}

TEST_F(LostDatabase, FilesInABucketAreOnesToo) {
  folder_.write("bucket-id", "0123\n");
  EXPECT_EQ(found(), "STORE_MISSING");
}

// A new store would come with a new token in the place of the one that is good there.
TEST_F(LostDatabase, AFolderWhoseStoreIsElsewhereBeginsNoOther) {
  folder_.write("store-holder", "0123\n");
  EXPECT_EQ(found(), "STORE_MISSING");
  ASSERT_TRUE(store::Store::open({db()}).ok());
  EXPECT_EQ(found(), "") << "it came back";
}

TEST_F(LostDatabase, OneInItsLogAloneIsThereAsLongAsTheLogIs) {
  add_blob();
  {
    const auto store = store::Store::open({db()});
    ASSERT_TRUE(store.ok());
    EXPECT_EQ(found(), "") << "what was committed may be in the log alone";
  }
  EXPECT_EQ(found(), "");
  folder_.write("paddock.db", std::string(4096, '\0'));
  EXPECT_EQ(found(), "STORE_MISSING") << "a header, as a log that was lost leaves it";
  folder_.write("paddock.db-wal", "something");
  EXPECT_EQ(found(), "");
}

// Nobody is to be told to remove the files of a database that is there.
TEST_F(LostDatabase, OneThatCannotBeReadIsNotMissing) {
  add_blob();
  ASSERT_EQ(::symlink("paddock.db", db().c_str()), 0) << "to itself: ELOOP, also for root";
  const Status there = check_database_is_there(folder_.path());
  ASSERT_FALSE(there.ok());
  EXPECT_EQ(there.error().reason, "STORE_IO");
  EXPECT_NE(there.error().message.find("symbolic links"), std::string::npos);
  EXPECT_EQ(there.error().message.find("remove"), std::string::npos);
}

TEST_F(LostDatabase, FilesThatCannotBeReadAreNotMissing) {
  ASSERT_EQ(::symlink("blobs", (folder_ / "blobs").c_str()), 0);
  EXPECT_EQ(found(), "STORE_IO");
}

}  // namespace
}  // namespace paddock::app
