#include <fcntl.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::cas {
namespace {

class Later : public testing::Test {
 protected:
  Digest write(const std::string& bytes) {
    const Digest digest = crypto::sha256_hex(bytes);
    auto writer = store_.begin(digest, static_cast<int64_t>(bytes.size()), Durability::kLater);
    EXPECT_TRUE(writer->append(bytes).ok());
    EXPECT_TRUE(writer->commit().ok());
    return digest;
  }
  bool marked() const { return os::exists(dir_ / "unsynced"); }
  // What a crash of the host may leave of a file that was not on the disk yet.
  void lose(const Digest& digest) const {
    const std::string path = cat(dir_.path(), "/", digest.substr(0, 2), "/", digest);
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    ASSERT_EQ(::truncate(path.c_str(), 0), 0);
  }
  void reopen() { store_ = BlobStore::open(dir_.path()).value(); }
  test::TempDir dir_;
  BlobStore store_ = BlobStore::open(dir_.path()).value();
};

TEST_F(Later, AMarkIsOnTheDiskUntilEverythingIs) {
  EXPECT_FALSE(marked());
  const Digest digest = write("one");
  EXPECT_TRUE(marked());
  EXPECT_TRUE(store_.sync().ok());
  EXPECT_FALSE(marked());
  EXPECT_EQ(*store_.read(digest, 10), "one");
  ASSERT_TRUE(store_.put("at once").ok());
  EXPECT_FALSE(marked());
}

TEST_F(Later, AfterACrashOfTheHostDamagedBlobsAreGoneAndTheOthersStay) {
  const Digest good = write("good");
  const Digest lost = write("lost");
  lose(lost);
  dir_.write("unsynced", "another boot");
  reopen();
  EXPECT_TRUE(store_.has(good));
  EXPECT_FALSE(store_.has(lost));
  EXPECT_FALSE(marked());
  EXPECT_EQ(write("lost"), lost);
  EXPECT_EQ(*store_.read(lost, 10), "lost");
}

TEST_F(Later, AfterACrashOfTheProcessNothingIsLostNorForgotten) {
  const Digest digest = write("kept");
  reopen();
  EXPECT_TRUE(store_.has(digest));
  EXPECT_TRUE(marked());
  EXPECT_TRUE(store_.sync().ok());
  EXPECT_FALSE(marked());
}

TEST_F(Later, ManyMaySynchroniseTheSameWrites) {
  for (int round = 0; round < 50; ++round) {
    write(cat("round ", round));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const Status synced = store_.sync();
        EXPECT_TRUE(synced.ok()) << synced.error().describe();
      });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_FALSE(marked());
  }
}

}  // namespace
}  // namespace paddock::cas
