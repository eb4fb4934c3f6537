#include <fcntl.h>
#include <sys/stat.h>

#include <ctime>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "tests/support/temp_dir.h"

namespace paddock::cas {
namespace {

class Pruning : public testing::Test {
 protected:
  Digest put(const std::string& bytes, int64_t used_s) {
    Digest digest = store_.put(bytes).value();
    const timespec times[2] = {{used_s, 0}, {used_s, 0}};
    const std::string path = cat(dir_.path(), "/", digest.substr(0, 2), "/", digest);
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    return digest;
  }
  test::TempDir dir_;
  BlobStore store_ = BlobStore::open(dir_.path()).value();
};

TEST_F(Pruning, ListsEveryBlobWithItsSizeAndLastUse) {
  const Digest one = put("1", 100);
  const Digest three = put("333", 300);
  const auto all = store_.list().value();
  ASSERT_EQ(all.size(), 2u);
  for (const BlobStore::Stored& each : all) {
    EXPECT_EQ(each.size, each.digest == one ? 1 : 3);
    EXPECT_EQ(each.used_s, each.digest == three ? 300 : 100);
  }
}

TEST_F(Pruning, RemovesWhatWasNotUsedSince) {
  const Digest old = put("old", 100);
  const Digest fresh = put("new", 200);
  EXPECT_TRUE(store_.remove_unused(old, 150).value());
  EXPECT_FALSE(store_.remove_unused(fresh, 150).value());
  EXPECT_FALSE(store_.has(old));
  EXPECT_TRUE(store_.has(fresh));
  EXPECT_TRUE(store_.remove_unused(Digest(64, 'a'), 150).value()) << "nothing there to remove";
}

TEST_F(Pruning, AUseKeepsABlob) {
  const Digest digest = put("used", 100);
  EXPECT_TRUE(store_.use(digest));
  EXPECT_FALSE(store_.remove_unused(digest, ::time(nullptr) - 60).value());
  EXPECT_TRUE(store_.has(digest));
  EXPECT_FALSE(store_.use(Digest(64, 'a')));
  EXPECT_FALSE(store_.use("../x"));
}

}  // namespace
}  // namespace paddock::cas
