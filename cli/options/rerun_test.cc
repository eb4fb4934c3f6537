#include "cli/options/rerun.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using contracts::RunPhase;
using testing::ElementsAre;
using Given = std::map<std::string, std::vector<std::string>>;

class Rerun : public testing::Test {
 protected:
  static contracts::Run ended() {
    contracts::Run run;
    run.metadata.name = "train-x7k2p";
    run.metadata.name_space = "team";
    run.metadata.uid = "u";
    run.metadata.labels = {{"sweep", "a"}};
    run.spec.command.argv = {"python3", "train.py"};
    run.spec.workspace = "w";
    run.spec.sandbox.env = {{"SEED", "1"}, {"KEPT", "y"}};
    run.spec.sandbox.limits.memory = wire::Quantity{1 << 30};
    run.spec.node_selector = {{"zone", "b"}};
    run.spec.artifacts.dirs = {"out"};
    run.spec.volumes = {{"data", 3}, {"other", {}}};
    run.spec.priority = 7;
    run.spec.profile = "command";
    run.spec.cancel_requested = true;
    run.status.phase = RunPhase::kFailed;
    run.status.workspace_root = "root";
    return run;
  }
  Result<contracts::Run> again(const contracts::Run& before, const Given& given,
                               const OptionFiles& files = {}) {
    return rerun_of(before, Parsed{"rerun", given}, env_, files, "new");
  }

  ManualClock clock_;
  SeededRandom random_{1};
  Env env_{{}, "/home/me", "/usr/bin", false, false, {}, {}, clock_, random_};
};

TEST_F(Rerun, WithoutChangesIsTheSameByAnotherName) {
  const contracts::Run before = ended();
  const auto run = again(before, {});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->metadata.name, "new");
  EXPECT_EQ(run->metadata.name_space, "team");
  EXPECT_EQ(run->metadata.uid, "");
  EXPECT_EQ(run->metadata.labels, before.metadata.labels);
  EXPECT_EQ(run->metadata.annotations.at(kRerunOf), "train-x7k2p");
  EXPECT_EQ(run->spec.workspace_root, "root") << "the files of then";
  EXPECT_EQ(run->status.phase, RunPhase::kPending);
  contracts::RunSpec same = run->spec;
  EXPECT_FALSE(std::exchange(same.cancel_requested, true));
  same.workspace_root.clear();
  EXPECT_EQ(wire::encode(same), wire::encode(before.spec));
}

TEST_F(Rerun, OfAnArrayIsTheWholeAndNeverAnElementByItself) {
  contracts::Run array = ended();
  array.spec.array.emplace().count = 9;
  ASSERT_TRUE(again(array, {}).ok());
  EXPECT_EQ(again(array, {})->spec.array->count, 9);
  EXPECT_EQ(again(array, {{"array", {"4"}}, {"max-parallel", {"2"}}})->spec.array->max_parallel, 2);
  EXPECT_FALSE(again(ended(), {{"max-parallel", {"2"}}}).ok());
  contracts::Run element = ended();
  element.status.element = contracts::ArrayElement{"train", "u", 3};
  EXPECT_EQ(again(element, {}).error().reason, "ARRAY_NOT_SUPPORTED");
}

TEST_F(Rerun, OptionsChangeWhatTheyNameAndNothingElse) {
  const auto run = again(ended(), {{"env", {"SEED=2", "MORE=1"}},
                                   {"memory", {"2Gi"}},
                                   {"node-selector", {"gpu=yes"}},
                                   {"artifact-dir", {"./logs/", "out"}},
                                   {"volume", {"data@4"}},
                                   {"priority", {"0"}},
                                   {"label", {"try=2"}},
                                   {"latest-files", {}},
                                   {"PROGRAM", {"python3", "-c", "a b"}}});
  ASSERT_TRUE(run.ok()) << run.error().describe();
  const contracts::RunSpec& spec = run->spec;
  EXPECT_EQ(spec.sandbox.env,
            (std::map<std::string, std::string>{{"SEED", "2"}, {"KEPT", "y"}, {"MORE", "1"}}));
  EXPECT_EQ(spec.sandbox.limits.memory->bytes, int64_t{2} << 30);
  EXPECT_EQ(spec.resources->memory->bytes, int64_t{2} << 30);
  EXPECT_EQ(spec.node_selector.size(), 2U);
  EXPECT_THAT(spec.artifacts.dirs, ElementsAre("out", "logs"));
  ASSERT_EQ(spec.volumes.size(), 2U);
  EXPECT_EQ(spec.volumes.back().version, 4);
  EXPECT_EQ(spec.priority, 0);
  EXPECT_EQ(spec.profile, "command");
  EXPECT_EQ(spec.workspace_root, "") << "the files of now";
  EXPECT_EQ(run->metadata.labels.size(), 2U);
  EXPECT_THAT(spec.command.argv, ElementsAre("python3", "-c", "a b"));
}

TEST_F(Rerun, APolicyInAFileTakesThePlaceOfWhatTheRunHad) {
  const auto run = again(ended(), {{"policy", {"p.yaml"}}}, {"limits: {pids: 9}", {}});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->spec.sandbox.limits.pids, 9);
  EXPECT_FALSE(run->spec.sandbox.limits.memory);
  EXPECT_TRUE(run->spec.sandbox.env.empty());
}

TEST_F(Rerun, WhatCannotBeRepeatedSaysWhatToDo) {
  contracts::Run before = ended();
  before.status.phase = RunPhase::kRunning;
  EXPECT_EQ(again(before, {}).error().reason, "RUN_NOT_ENDED");
  before = ended();
  before.status.tool_bundle.emplace();
  EXPECT_EQ(again(before, {}).error().reason, "TOOL_BUNDLE_NOT_KEPT");
  EXPECT_EQ(again(ended(), {{"publish", {"No Name"}}}).error().reason, "VOLUME_NAME_INVALID");
  EXPECT_EQ(again(ended(), {{"env", {"=x"}}}).error().code, Code::kInvalidArgument);
}

TEST(RerunName, ReplacesTheSuffixThatWasMadeUp) {
  EXPECT_EQ(rerun_name("train-x7k2p", "bbbbb"), "train-bbbbb");
  EXPECT_EQ(rerun_name("train", "bbbbb"), "train-bbbbb");
  EXPECT_EQ(rerun_name("train-night", "bbbbb"), "train-night-bbbbb") << "i is no suffix's letter";
  EXPECT_EQ(rerun_name("-x7k2p", "bbbbb"), "-x7k2p-bbbbb");
  EXPECT_LE(rerun_name(std::string(253, 'a'), "bbbbb").size(), 253U);
}

TEST(RerunOptions, LeaveTheInputOfThenAlone) {
  for (const OptionRow& row : rerun_option_rows()) EXPECT_NE(long_name(row), "stdin");
}

}  // namespace
}  // namespace paddock::cli
