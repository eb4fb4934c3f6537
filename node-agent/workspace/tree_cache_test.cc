#include "node-agent/workspace/tree_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/cas/tree.h"
#include "common/os/file.h"
#include "node-agent/workspace/prune.h"
#include "tests/support/temp_dir.h"

namespace paddock::workspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ChooseVictims, TakesTheLongestUnusedUntilNineTenthsAreLeft) {
  const std::vector<CachedThing> things = {{40, 30}, {40, 10}, {40, 20}};
  EXPECT_THAT(choose_victims(things, 120, 1000), IsEmpty());
  EXPECT_THAT(choose_victims(things, 100, 1000), ElementsAre(1));
  EXPECT_THAT(choose_victims(things, 60, 1000), ElementsAre(1, 2));
  EXPECT_THAT(choose_victims(things, 0, 1000), ElementsAre(1, 2, 0));
  EXPECT_THAT(choose_victims(things, 0, 15), ElementsAre(1)) << "the others were used lately";
}

class Trees : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = TreeCache::open(dir_ / "trees", std::nullopt);
    if (!opened.ok()) GTEST_SKIP() << "no layered folders here: " << opened.error().message;
    cache_ = std::move(*opened);
    tree_ = tree_of("print(1)");
  }
  contracts::Tree tree_of(const std::string& content) {
    contracts::Tree tree;
    tree.entries.push_back(
        {"a/main.py", *store_.put(content), static_cast<int64_t>(content.size()), false});
    return tree;
  }
  Result<CachedTree> make(const contracts::Tree& tree) {
    return cache_->make(cas::tree_root(tree), tree, store_, [] { return false; });
  }
  void age(const std::string& path) const {
    const timespec times[2] = {{100, 0}, {100, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0) << path;
  }
  void age_all(const contracts::Tree& tree) {
    const auto& digest = tree.entries[0].digest;
    age(dir_ / ("trees/" + cas::tree_root(tree) + "/info"));
    age(dir_ / ("cas/" + digest.substr(0, 2) + "/" + digest));
  }
  test::TempDir dir_;
  cas::BlobStore store_ = cas::BlobStore::open(dir_ / "cas").value();
  std::unique_ptr<TreeCache> cache_;
  contracts::Tree tree_;
};

TEST_F(Trees, AreMadeOnceAndFoundAgain) {
  const std::string root = cas::tree_root(tree_);
  EXPECT_FALSE(cache_->find(root).has_value());
  ASSERT_TRUE(make(tree_).ok());
  struct stat first = {};
  ASSERT_EQ(::stat(cache_->files_of(root).c_str(), &first), 0);
  ASSERT_TRUE(make(tree_).ok());
  struct stat second = {};
  ASSERT_EQ(::stat(cache_->files_of(root).c_str(), &second), 0);
  EXPECT_EQ(first.st_ino, second.st_ino);
  EXPECT_EQ(cache_->find(root)->files, 1);
  EXPECT_EQ(cache_->find(root)->bytes, 8);
  EXPECT_EQ(*os::read_file(cache_->files_of(root) + "/a/main.py"), "print(1)");
}

TEST_F(Trees, AreMadeByOneOfManyWhoWantThem) {
  std::vector<std::future<bool>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(std::async(std::launch::async, [&] { return make(tree_).ok(); }));
  }
  for (auto& each : all) EXPECT_TRUE(each.get());
  EXPECT_EQ(cache_->list().size(), 1u);
}

TEST_F(Trees, LeaveNothingWhenABlobIsMissing) {
  tree_.entries[0].digest = std::string(64, 'a');
  EXPECT_EQ(make(tree_).error().reason, "BLOB_NOT_FOUND");
  EXPECT_THAT(*os::list_dir(dir_ / "trees"), ElementsAre("boot"));
}

TEST_F(Trees, OfAnEarlierBootAndHalfMadeOnesAreRemoved) {
  ASSERT_TRUE(make(tree_).ok());
  ASSERT_TRUE(os::make_dirs(dir_ / "trees/.new-7/files").ok());
  cache_ = TreeCache::open(dir_ / "trees", std::nullopt).value();
  EXPECT_EQ(cache_->list().size(), 1u);
  EXPECT_FALSE(os::exists(dir_ / "trees/.new-7"));
  dir_.write("trees/boot", "another");
  cache_ = TreeCache::open(dir_ / "trees", std::nullopt).value();
  EXPECT_TRUE(cache_->list().empty());
}

TEST_F(Trees, ArePrunedWithTheirBlobsButNeverUnderARun) {
  ASSERT_TRUE(make(tree_).ok());
  const contracts::Tree other = tree_of("print(2)");
  ASSERT_TRUE(make(other).ok());
  age_all(tree_);
  age_all(other);
  const auto run = std::make_optional<TreeCache::Pin>(*cache_, cas::tree_root(tree_));
  const Pruned pruned = prune_cache(cache_.get(), store_, 0, 10'000).value();
  EXPECT_EQ(pruned.trees, 1);
  EXPECT_EQ(pruned.blobs, 2);
  EXPECT_EQ(pruned.bytes, 24);
  ASSERT_EQ(cache_->list().size(), 1u);
  EXPECT_EQ(cache_->list()[0].root, cas::tree_root(tree_));
}

TEST_F(Trees, UsedLatelyOrWithinTheQuotaStay) {
  ASSERT_TRUE(make(tree_).ok());
  EXPECT_EQ(prune_cache(cache_.get(), store_, 0, ::time(nullptr))->bytes, 0);
  age_all(tree_);
  EXPECT_EQ(prune_cache(cache_.get(), store_, 16, 10'000)->bytes, 0);
}

}  // namespace
}  // namespace paddock::workspace
