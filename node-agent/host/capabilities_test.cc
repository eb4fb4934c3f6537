#include "node-agent/host/capabilities.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

// Its proof repeats two variables of its environment.
constexpr const char* kLauncher = R"sh(#!/bin/sh
cat <<PROOF
{"capabilities": [{"name": "told", "details": "$KUBERNETES_SERVICE_HOST,$SECRET"}],
 "canaries": [{"name": "one", "capability": "sandbox"}]}
PROOF
)sh";

std::string told(const std::map<std::string, std::string>& own) {
  const test::TempDir folder;
  folder.write("sandbox", kLauncher, 0755);
  const auto proof = prove_sandbox(folder / "sandbox", own);
  return proof ? proof->capabilities.at(0).details : proof.error().describe();
}

TEST(ProveSandbox, TellsTheLauncherThatItIsInAPodAndNothingElseOfTheAgentsEnvironment) {
  EXPECT_EQ(told({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"SECRET", "x"}}), "10.0.0.1,");
  EXPECT_EQ(told({{"SECRET", "x"}}), ",");
}

}  // namespace
}  // namespace paddock::agent
