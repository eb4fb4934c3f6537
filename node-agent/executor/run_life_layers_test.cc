// Runs whose workspace lies above a tree that others share.
#include "node-agent/executor/run_life.h"
#include "node-agent/executor/run_life_fixture.h"

namespace paddock::executor {
namespace {

class LayeredLife : public Life {
 protected:
  void SetUp() override {
    auto opened = workspace::TreeCache::open(base + "/trees", std::nullopt);
    if (!opened.ok()) GTEST_SKIP() << "no layered folders here: " << opened.error().message;
    trees = std::move(*opened);
    config.copied = {.files = 0, .bytes = 0};  // however small
    behave("ok");
  }
};

TEST_F(LayeredLife, BringTheirArtifactsBackAndLeaveTheTreeAsItWas) {
  const contracts::RunOutcome outcome = run();
  EXPECT_EQ(outcome.phase, contracts::RunPhase::kSucceeded);
  EXPECT_THAT(uploads, testing::ElementsAre("out/result.json"));
  const std::string files = trees->files_of(assignment.workspace_root);
  EXPECT_THAT(*os::list_dir(files), testing::ElementsAre("main.py"));
  EXPECT_TRUE(os::exists(folder().workspace() + "/out/result.json"));
}

TEST_F(LayeredLife, HoldTheTreesOfTheirVolumesToo) {
  contracts::Tree shared;
  const std::string content = "shared\n";
  shared.entries.push_back({"f.txt", crypto::sha256_hex(content), 7, false});
  blobs[shared.entries[0].digest] = content;
  volumes["models"] = shared;
  const std::string root = cas::tree_root(shared);
  assignment.volumes = {{"models", 3, root}};
  life = accept();
  ASSERT_TRUE(store->put(content).ok());
  ASSERT_TRUE(trees->make(root, shared, *store, [] { return false; }).ok());
  EXPECT_FALSE(trees->remove(root).value());
  life->run();
  EXPECT_NE(output_of(*life, "system").find("models version 3: 1 file, 7 B"), std::string::npos);
  const auto request = os::read_file(folder().file("request.json"));
  EXPECT_NE(request->find(trees->files_of(root)), std::string::npos);
  EXPECT_NE(request->find("/volumes/models"), std::string::npos);
  EXPECT_TRUE(trees->remove(root).value());
}

TEST_F(LayeredLife, RefuseAnImpossibleVolume) {
  for (const contracts::MountedVolume& bad :
       {contracts::MountedVolume{"../x", 1, std::string(64, 'a')},
        contracts::MountedVolume{"x", 1, "../../etc"}}) {
    assignment.volumes = {bad};
    EXPECT_EQ(run().phase, contracts::RunPhase::kFailed);
    ASSERT_TRUE(life->erase().ok());
  }
}

TEST_F(LayeredLife, FetchTheTreeOnce) {
  ASSERT_EQ(run().phase, contracts::RunPhase::kSucceeded);
  ASSERT_TRUE(life->erase().ok());
  ASSERT_EQ(run().phase, contracts::RunPhase::kSucceeded);
  EXPECT_NE(output_of(*life, "system").find("workspace: 1 file, 12 B (cached here)"),
            std::string::npos);
}

TEST_F(LayeredLife, HoldTheirTreeUntilTheyHaveEnded) {
  life = accept();
  const std::string root = assignment.workspace_root;
  ASSERT_TRUE(trees->make(root, tree, *store, [] { return false; }).ok() ||
              store->put(blobs.begin()->second).ok());
  ASSERT_TRUE(trees->make(root, tree, *store, [] { return false; }).ok());
  EXPECT_FALSE(trees->remove(root).value());
  life->run();
  EXPECT_TRUE(trees->remove(root).value());
}

TEST_F(LayeredLife, LetGoOfTheirTreeWhereAStepBehindItFails) {
  assignment.spec.resources.emplace().accelerators = {contracts::AcceleratorKind::kNvidia, 1};
  EXPECT_EQ(run().reason, "ACCELERATOR_UNAVAILABLE");
  EXPECT_TRUE(trees->remove(assignment.workspace_root).value());
}

TEST_F(LayeredLife, BlobsThatVanishAreFetchedAgain) {
  config.sandbox_uid.reset();
  ASSERT_TRUE(store->put(blobs.begin()->second).ok());
  ASSERT_TRUE(store->remove_unused(tree.entries[0].digest, ::time(nullptr) + 60).value());
  EXPECT_EQ(run().phase, contracts::RunPhase::kSucceeded);
}

TEST_F(LayeredLife, OfASmallTreeHaveACopy) {
  config.copied = {.files = tree.entries.size(), .bytes = tree.entries[0].size};
  EXPECT_EQ(run().phase, contracts::RunPhase::kSucceeded);
  EXPECT_THAT(uploads, testing::ElementsAre("out/result.json"));
  EXPECT_TRUE(os::exists(folder().workspace() + "/main.py"));
  EXPECT_FALSE(os::exists(folder().layer_work()));
  EXPECT_FALSE(trees->find(assignment.workspace_root));
  ASSERT_TRUE(life->erase().ok());
  --config.copied.bytes;
  EXPECT_EQ(run().phase, contracts::RunPhase::kSucceeded);
  EXPECT_FALSE(os::exists(folder().workspace() + "/main.py"));
  EXPECT_TRUE(trees->find(assignment.workspace_root));
}

TEST_F(LayeredLife, GoOnAfterTheAgentWasReplaced) {
  behave("wait");
  stop_while_running(StopKind::kDetach);
  life.reset();
  trees = workspace::TreeCache::open(base + "/trees", std::nullopt).value();
  adopt_and_finish();
}

}  // namespace
}  // namespace paddock::executor
