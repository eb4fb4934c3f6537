#include "node-agent/executor/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::executor {
namespace {

using testing::ElementsAre;

contracts::RunSpec spec_of(contracts::RunType type, std::vector<std::string> argv) {
  contracts::RunSpec spec;
  spec.type = type;
  spec.command.argv = std::move(argv);
  return spec;
}

TEST(CommandLine, IsTheCallersForComputeScriptAndCommand) {
  EXPECT_THAT(command_line(spec_of(contracts::RunType::kCompute, {"node", "s.js"}), {}),
              ElementsAre("node", "s.js"));
  EXPECT_THAT(command_line(spec_of(contracts::RunType::kCommand, {"python3", "-c", "a | b"}), {}),
              ElementsAre("python3", "-c", "a | b"));
  EXPECT_THAT(command_line(spec_of(contracts::RunType::kScript, {"bash", "b.sh"}), {}),
              ElementsAre("bash", "b.sh"));
}

TEST(CommandLine, MakesTheLogOfAComputeRunLive) {
  for (const char* python : {"python3", "python"})
    EXPECT_THAT(command_line(spec_of(contracts::RunType::kCompute, {python, "s.py", "-u"}), {}),
                ElementsAre(python, "-u", "s.py", "-u"));
}

TEST(CommandLine, MakesGradleStayOfflineUnlessThereIsANetwork) {
  const auto spec = spec_of(contracts::RunType::kGradle, {"./gradlew", "check"});
  EXPECT_THAT(command_line(spec, {}),
              ElementsAre("./gradlew", "--no-daemon", "--console=plain", "--gradle-user-home",
                          ".gradle-home", "--offline", "check"));
  contracts::SandboxPolicy policy;
  policy.network = contracts::NetworkPolicy{true, {"repo.example"}};
  EXPECT_THAT(command_line(spec, policy), testing::Not(testing::Contains("--offline")));
}

// proves partly: VLT-02
TEST(CommandLine, RunsTestsWithTheModuleOfTheRunsOwnPython) {
  using contracts::RunType;
  EXPECT_THAT(command_line(spec_of(RunType::kTest, {"pytest", "-x", "tests"}), {}),
              ElementsAre("python3", "-m", "pytest", "-x", "tests"));
  EXPECT_THAT(command_line(spec_of(RunType::kTest, {"python3", "-m", "pytest"}), {}),
              ElementsAre("python3", "-m", "pytest"));
  EXPECT_THAT(command_line(spec_of(RunType::kCompute, {"pytest"}), {}), ElementsAre("pytest"));
}

TEST(CommandLine, IsTheSameForAllCode) {
  contracts::RunSpec spec = spec_of(contracts::RunType::kCode, {});
  const auto one = command_line(spec, {});
  spec.code = "print('; id')";
  EXPECT_EQ(command_line(spec, {}), one);
}

}  // namespace
}  // namespace paddock::executor
