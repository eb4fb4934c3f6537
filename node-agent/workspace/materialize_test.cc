#include "node-agent/workspace/materialize.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/os/file.h"

namespace paddock::workspace {
namespace {

class Workspace : public testing::Test {
 protected:
  Workspace() {
    std::string pattern = testing::TempDir() + "workspace-XXXXXX";
    base = ::mkdtemp(pattern.data());
    auto opened = cas::BlobStore::open(base + "/cas");
    EXPECT_TRUE(opened.ok());
    store.emplace(std::move(*opened));
  }
  ~Workspace() override { (void)os::remove_tree(base); }
  void add(const std::string& path, const std::string& content, bool executable = false) {
    const auto digest = store->put(content);
    tree.entries.push_back({path, *digest, static_cast<int64_t>(content.size()), executable});
    std::sort(tree.entries.begin(), tree.entries.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
  }
  Result<Materialized> fill(std::optional<Owner> owner = std::nullopt) {
    return materialize(tree, *store, base + "/ws", owner, [] { return false; });
  }

  std::string base;
  std::optional<cas::BlobStore> store;
  contracts::Tree tree;
};

TEST_F(Workspace, FilesComeWithTheirFoldersAndModes) {
  add("main.py", "print(1)");
  add("bin/tool", "#!/bin/sh\n", true);
  add("a/b/c.txt", "deep");
  const auto done = fill();
  ASSERT_TRUE(done.ok()) << done.error().describe();
  EXPECT_EQ(done->files, 3);
  EXPECT_EQ(done->bytes, 22);
  EXPECT_EQ(*os::read_file(base + "/ws/a/b/c.txt"), "deep");
  struct stat info = {};
  ASSERT_EQ(::stat((base + "/ws/bin/tool").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0755u);
  ASSERT_EQ(::stat((base + "/ws/main.py").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0644u);
  EXPECT_EQ(info.st_nlink, 1u);
}

TEST_F(Workspace, SeveralLanesMakeWhatOneMakes) {
  for (int i = 0; i < 300; ++i)
    add("folder" + std::to_string(i / 70) + "/" + std::to_string(i), "text " + std::to_string(i));
  add("large", std::string(3'000'000, 'x'));
  const Parallel threads = [](const std::vector<std::function<void()>>& tasks) {
    std::vector<std::thread> all;
    for (const auto& task : tasks) all.emplace_back(task);
    for (std::thread& each : all) each.join();
  };
  const auto done = materialize(
      tree, *store, base + "/ws", std::nullopt, [] { return false; }, {}, threads);
  ASSERT_TRUE(done.ok()) << done.error().describe();
  EXPECT_EQ(done->files, 301);
  for (const auto& entry : tree.entries)
    EXPECT_EQ(*os::read_file(base + "/ws/" + entry.path), *store->read(entry.digest, 4'000'000));
  tree.entries[150].digest = std::string(64, 'a');
  const auto failed = materialize(
      tree, *store, base + "/other", std::nullopt, [] { return false; }, {}, threads);
  EXPECT_EQ(failed.error().reason, "BLOB_NOT_FOUND");
}

TEST_F(Workspace, NeverWritesThroughWhatIsThereAlready) {
  add("file", "new");
  ASSERT_TRUE(os::make_dirs(base + "/ws").ok());
  ASSERT_EQ(::symlink("../out", (base + "/ws/file").c_str()), 0);
  EXPECT_FALSE(fill().ok());
  EXPECT_FALSE(os::exists(base + "/out"));
}

TEST_F(Workspace, LinksAndEmptyFoldersCome) {
  add("runs/3/model.bin", "text");
  tree.links = {{"latest", "runs/3"}, {"links/up", "../runs"}};
  tree.folders = {{"out/cache"}};
  ASSERT_TRUE(fill(Owner{0, 0}).ok());
  EXPECT_EQ(*os::read_file(base + "/ws/latest/model.bin"), "text");
  EXPECT_EQ(*os::read_file(base + "/ws/links/up/3/model.bin"), "text");
  EXPECT_TRUE(os::list_dir(base + "/ws/out/cache")->empty());
}

TEST_F(Workspace, FoldersOfResultsAreMadeWhereNothingElseIs) {
  add("src/a", "1");
  add("src/b/c", "2");
  tree.links = {{"latest", "src"}};
  tree.folders = {{"old"}};
  const std::vector<std::string> wanted = {"out/deep", "src",      "src/b/new", "old/new",
                                           "src/a",    "src/a/in", "latest",    "latest/in"};
  const Folders free = free_folders(wanted, taken_in(tree));
  EXPECT_THAT(
      free, testing::ElementsAre("old", "old/new", "out", "out/deep", "src", "src/b", "src/b/new"));
  ASSERT_TRUE(materialize(
                  tree, *store, base + "/ws", std::nullopt, [] { return false; }, free)
                  .ok());
  EXPECT_TRUE(os::list_dir(base + "/ws/out/deep")->empty());
  EXPECT_EQ(*os::read_file(base + "/ws/src/b/c"), "2");

  EXPECT_EQ(free_folders(wanted, taken_below(base + "/ws")), free);
  ASSERT_TRUE(make_layer(base + "/layer", free, std::nullopt).ok());
  EXPECT_THAT(*os::list_dir(base + "/layer"), testing::UnorderedElementsAre("old", "out", "src"));
  for (const char* path : {"/ws/out/deep", "/ws/src", "/layer", "/layer/src/b/new"}) {
    struct stat info = {};
    ASSERT_EQ(::lstat((base + path).c_str(), &info), 0) << path;
    EXPECT_EQ(info.st_mtim.tv_sec, kTreeTime) << path;
  }
}

// proves: ORB-96
TEST_F(Workspace, ATreeWhoseLinksLeadOutMakesNothing) {
  ASSERT_TRUE(os::make_dirs(base + "/outside").ok());
  add("a/x", "1");
  const auto hostile = [&](std::vector<contracts::TreeLink> links,
                           std::vector<contracts::TreeFolder> folders) {
    tree.links = std::move(links);
    tree.folders = std::move(folders);
    const auto done = fill();
    EXPECT_FALSE(done.ok());
    if (!done.ok()) EXPECT_EQ(done.error().reason, "TREE_INVALID");
  };
  hostile({{"up", ".."}}, {});
  hostile({{"b", "/etc"}}, {});
  hostile({{"a", "../outside"}}, {});       // above a file
  hostile({{"b", "a"}}, {{"b/made"}});      // a folder through a link
  hostile({{"b", "a"}, {"b/c", "x"}}, {});  // a link through a link
  hostile({{"b/s", ".."}, {"c", "b/s/.."}}, {});
  EXPECT_FALSE(os::exists(base + "/ws"));
  EXPECT_TRUE(os::list_dir(base + "/outside")->empty());
}

TEST_F(Workspace, EverythingHasOneTimeBeforeTheRun) {
  add("src/a.c", "1");
  add("build/a.o", "2");
  tree.links = {{"l", "src"}};
  tree.folders = {{"out"}};
  ASSERT_TRUE(fill().ok());
  for (const char* path : {"", "/src", "/src/a.c", "/build", "/build/a.o", "/l", "/out"}) {
    struct stat info = {};
    ASSERT_EQ(::lstat((base + "/ws" + path).c_str(), &info), 0);
    EXPECT_EQ(info.st_mtim.tv_sec, kTreeTime) << path;
    EXPECT_EQ(info.st_mtim.tv_nsec, 0) << path;
  }
}

TEST_F(Workspace, AnEmptyTreeIsAnEmptyFolder) {
  ASSERT_TRUE(fill().ok());
  EXPECT_TRUE(os::list_dir(base + "/ws")->empty());
}

TEST_F(Workspace, WhatARunWritesDoesNotReachTheStore) {
  add("data", "original");
  ASSERT_TRUE(fill().ok());
  ASSERT_TRUE(os::write_file_atomic(base + "/ws/data", "changed").ok());
  EXPECT_EQ(*store->read(tree.entries[0].digest, 100), "original");
}

TEST_F(Workspace, EverythingBelongsToTheGivenOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  add("a/file", "x");
  ASSERT_TRUE(fill(Owner{65534, 65534}).ok());
  for (const char* path : {"", "/a", "/a/file"}) {
    struct stat info = {};
    ASSERT_EQ(::stat((base + "/ws" + path).c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, 65534u) << path;
  }
}

TEST_F(Workspace, AHostilePathIsRefusedBeforeAnythingIsWritten) {
  add("../escape", "x");
  const auto done = fill();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().reason, "TREE_INVALID");
  EXPECT_FALSE(os::exists(base + "/ws"));
}

TEST_F(Workspace, AMissingBlobIsNamed) {
  tree.entries.push_back({"lost", std::string(64, 'a'), 3, false});
  const auto done = fill();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().reason, "BLOB_NOT_FOUND");
}

TEST_F(Workspace, AnInterruptionStopsIt) {
  add("x", "x");
  const auto done = materialize(tree, *store, base + "/ws", std::nullopt, [] { return true; });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().reason, "INTERRUPTED");
}

}  // namespace
}  // namespace paddock::workspace
