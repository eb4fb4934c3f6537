#include <sys/stat.h>

#include <gtest/gtest.h>

#include "common/cas/digest_cache.h"
#include "common/cas/tree.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::cas {
namespace {

class CachedScan : public testing::Test {
 protected:
  void SetUp() override {
    dir_.write("project/file", "first");
    limits_.cache_path = dir_ / "cache";
  }
  // The digest cache only trusts what was touched a while ago; the change time cannot be set, so
  // the cache is told about a file whose times are old.
  static struct stat aged(struct stat file) {
    file.st_ctim.tv_sec -= 10;
    file.st_mtim.tv_sec -= 10;
    return file;
  }
  test::TempDir dir_;
  ScanLimits limits_;
};

TEST_F(CachedScan, DoesNotTrustAFileThatWasJustChanged) {
  EXPECT_EQ(scan_folder(dir_ / "project", limits_)->hashed_bytes, 5);
  EXPECT_EQ(scan_folder(dir_ / "project", limits_)->hashed_bytes, 5);
  dir_.write("project/file", "other");
  EXPECT_EQ(scan_folder(dir_ / "project", limits_)->tree.entries[0].digest,
            crypto::sha256_hex("other"));
}

TEST_F(CachedScan, DoesNotReadAFileThatItKnows) {
  struct stat info = {};
  ASSERT_EQ(::stat("/usr/bin/env", &info), 0);
  if (::time(nullptr) - info.st_ctim.tv_sec < 10) GTEST_SKIP() << "this host was made a moment ago";
  ASSERT_TRUE(os::make_dirs(dir_ / "empty").ok());
  const Scan first = std::move(*scan_folder("/usr/share/doc/bash", limits_));
  const Scan second = std::move(*scan_folder("/usr/share/doc/bash", limits_));
  EXPECT_EQ(second.hashed_bytes, 0);
  EXPECT_EQ(first.hashed_bytes, first.bytes);
  EXPECT_EQ(tree_root(first.tree), tree_root(second.tree));
}

TEST_F(CachedScan, ForgetsAFileWhenAnythingAboutItDiffers) {
  struct stat info = {};
  ASSERT_EQ(::stat((dir_ / "project/file").c_str(), &info), 0);
  info = aged(info);
  {
    DigestCache cache(limits_.cache_path);
    cache.remember(info, Digest(64, 'a'));
    cache.save();
  }
  DigestCache cache(limits_.cache_path);
  EXPECT_EQ(cache.find(info), Digest(64, 'a'));
  struct stat other = info;
  other.st_size += 1;
  EXPECT_EQ(cache.find(other), std::nullopt);
  other = info;
  other.st_ctim.tv_nsec ^= 1;
  EXPECT_EQ(cache.find(other), std::nullopt);
  other = info;
  other.st_mtim.tv_nsec ^= 1;
  EXPECT_EQ(cache.find(other), std::nullopt);
  other = info;
  other.st_ino += 1;
  EXPECT_EQ(cache.find(other), std::nullopt);
}

TEST_F(CachedScan, StartsAnewFromADamagedFile) {
  struct stat info = {};
  ASSERT_EQ(::stat((dir_ / "project/file").c_str(), &info), 0);
  info = aged(info);
  for (const std::string text :
       {"", "nonsense", "paddock digests 2\n1 2 3\n", "paddock digests 2\n\n"}) {
    dir_.write("cache", text);
    DigestCache cache(limits_.cache_path);
    cache.remember(info, Digest(64, 'b'));
    cache.save();
    EXPECT_EQ(DigestCache(limits_.cache_path).find(info), Digest(64, 'b'));
  }
}

// What an earlier version knew may be a private key, which goes up only where it is named.
TEST_F(CachedScan, KnowsNothingThatAnEarlierVersionKnew) {
  struct stat info = {};
  ASSERT_EQ(::stat((dir_ / "project/file").c_str(), &info), 0);
  info = aged(info);
  {
    DigestCache cache(limits_.cache_path);
    cache.remember(info, Digest(64, 'a'));
    cache.save();
  }
  ASSERT_TRUE(DigestCache(limits_.cache_path).find(info));
  std::string known = *os::read_file(limits_.cache_path, 1 << 20);
  known.replace(0, known.find('\n'), "paddock digests 1");
  dir_.write("cache", known);
  EXPECT_FALSE(DigestCache(limits_.cache_path).find(info));
}

}  // namespace
}  // namespace paddock::cas
