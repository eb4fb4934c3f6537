#include "cli/instance/agent_host.h"

#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/support/temp_dir.h"

namespace paddock::cli {
namespace {

// Not taken for a host that has joined none: a folder that leads to itself (ELOOP) is one that root
// cannot look into either.
TEST(AgentHost, AConfigurationThatCannotBeLookedForIsNotMissing) {
  const test::TempDir folder;
  ASSERT_EQ(::symlink("loop", (folder / "loop").c_str()), 0);
  const SystemClock clock;
  SeededRandom random{1};
  const Env env{{}, "/", "/usr/bin", false, false, {}, {}, clock, random};
  const auto host = AgentHost::find({"doctor", {{"config", {folder / "loop/agent.yaml"}}}}, env);
  ASSERT_FALSE(host.ok());
  EXPECT_EQ(host.error().reason, "AGENT_CONFIG_INVALID");
  EXPECT_FALSE(
      AgentHost::find({"doctor", {{"config", {folder / "none.yaml"}}}}, env)->configured());
}

}  // namespace
}  // namespace paddock::cli
