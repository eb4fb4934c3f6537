#include "controller/runs/finished_artifacts.h"

#include <gtest/gtest.h>

namespace paddock::runs {
namespace {

using contracts::Artifact;
using contracts::RunPhase;

const std::string kDigest(64, 'a');

contracts::Run running() {
  contracts::Run run;
  run.status.phase = RunPhase::kRunning;
  run.status.attempt = 2;
  return run;
}

std::string reason(contracts::Run& run, int64_t attempt, const std::vector<Artifact>& items) {
  const Status added = add_finished(run, {attempt, items});
  return added.ok() ? "" : added.error().reason.str();
}

TEST(FinishedArtifacts, TheNewestStateOfEachPathIsKept) {
  contracts::Run run = running();
  run.status.artifacts = {{"out/old", 1, kDigest, false}};  // of the attempt before
  EXPECT_EQ(reason(run, 2, {{"out/new", 2, kDigest, false}}), "");
  EXPECT_EQ(reason(run, 2, {{"out/old", 3, std::string(64, 'b'), true}}), "");
  ASSERT_EQ(run.status.artifacts.size(), 2u);
  EXPECT_EQ(run.status.artifacts[1].size, 3);
  EXPECT_EQ(run.status.artifacts[1].digest, std::string(64, 'b'));
}

TEST(FinishedArtifacts, OnlyTheCurrentAttemptOfALivingRunIsListenedTo) {
  contracts::Run run = running();
  EXPECT_EQ(reason(run, 1, {}), "STALE_ATTEMPT");
  run.status.phase = RunPhase::kPending;
  EXPECT_EQ(reason(run, 2, {}), "STALE_ATTEMPT");
  run.status.phase = RunPhase::kCanceled;
  EXPECT_EQ(reason(run, 2, {}), "RUN_FINISHED");
}

TEST(FinishedArtifacts, WhatCanBeNoFileOfATreeIsRefused) {
  contracts::Run run = running();
  for (const char* path : {"", "/etc/passwd", "../x", "a//b", "a/../b"})
    EXPECT_EQ(reason(run, 2, {{path, 1, kDigest, false}}), "ARTIFACT_INVALID") << path;
  EXPECT_EQ(reason(run, 2, {{"a", 1, "abc", false}}), "ARTIFACT_INVALID");
  EXPECT_TRUE(run.status.artifacts.empty());
}

TEST(FinishedArtifacts, AThousandAreShownAndNotOneMore) {
  contracts::Run run = running();
  std::vector<Artifact> items;
  for (size_t i = 0; i < contracts::kMaxFinishedArtifacts; ++i)
    items.push_back({cat("out/", i), 1, kDigest, false});
  EXPECT_EQ(reason(run, 2, items), "");
  EXPECT_EQ(reason(run, 2, {{"out/more", 1, kDigest, false}}), "TOO_MANY_ARTIFACTS");
  EXPECT_EQ(reason(run, 2, {{"out/7", 2, kDigest, false}}), "");
  run = running();
  EXPECT_EQ(
      reason(run, 2, {{std::string(contracts::kMaxFinishedNames + 1, 'x'), 1, kDigest, false}}),
      "ARTIFACT_INVALID");
}

}  // namespace
}  // namespace paddock::runs
