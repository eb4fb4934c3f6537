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

TEST(CommandLine, IsTheCallersForComputeAndScript) {
  EXPECT_THAT(command_line(spec_of(contracts::RunType::kCompute, {"python3", "s.py"}), {}),
              ElementsAre("python3", "s.py"));
  EXPECT_THAT(command_line(spec_of(contracts::RunType::kScript, {"bash", "b.sh"}), {}),
              ElementsAre("bash", "b.sh"));
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

}  // namespace
}  // namespace paddock::executor
