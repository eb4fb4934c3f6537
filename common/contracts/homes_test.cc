#include "common/contracts/homes.h"

#include <gtest/gtest.h>

#include "common/contracts/profile.h"

namespace paddock::contracts {
namespace {

using Strings = std::vector<std::string>;

// proves partly: OD-11
// proves: OD-34
TEST(Homes, OfAnAgentAreExactlyTheseAndPathPassesUnchanged) {
  const auto& env = builtin_profiles().at("agent").environment;
  EXPECT_EQ(env, (std::map<std::string, std::string>{
                     {"PATH", builtin_profiles().at("compute").environment.at("PATH")},
                     {"HOME", "/tmp/home"},
                     {"USERPROFILE", "/tmp/home"},
                     {"OD_AGENT_HOME", "/tmp/home"},
                     {"TMPDIR", "/tmp/tmp"},
                     {"TEMP", "/tmp/tmp"},
                     {"TMP", "/tmp/tmp"},
                     {"XDG_CACHE_HOME", "/tmp/home/.cache"},
                     {"XDG_CONFIG_HOME", "/tmp/home/.config"},
                     {"XDG_DATA_HOME", "/tmp/home/.local/share"},
                     {"XDG_RUNTIME_DIR", "/tmp/home/.run"},
                     {"XDG_STATE_HOME", "/tmp/home/.local/state"},
                     {"CLAUDE_CONFIG_DIR", "/tmp/home/.claude"},
                     {"CODEX_HOME", "/tmp/home/.codex"},
                     {"OPENCODE_TEST_HOME", "/tmp/home"},
                     {"NPM_CONFIG_USERCONFIG", "/tmp/home/.npmrc"},
                     {"npm_config_userconfig", "/tmp/home/.npmrc"},
                     {"OD_AGENT_PROFILES_CONFIG", "/tmp/home/.config/agent-profiles.json"},
                     {"PYTHONPATH", ""},
                     {"LANG", "C.UTF-8"},
                     {"PYTHONUNBUFFERED", "1"},
                     {"LSAN_OPTIONS", "detect_leaks=0"}}));
  for (const auto& [name, value] : env) {
    EXPECT_TRUE(!is_home_variable(name) || is_scratch_path(value)) << name;
  }
}

TEST(Homes, AreMadeForEachFolderThatIsNamedInTheScratchSpaceAndForNoFile) {
  EXPECT_EQ(own_folders(builtin_profiles().at("agent").environment),
            (Strings{"/tmp/home", "/tmp/home/.cache", "/tmp/home/.claude", "/tmp/home/.codex",
                     "/tmp/home/.config", "/tmp/home/.local/share", "/tmp/home/.local/state",
                     "/tmp/home/.run", "/tmp/tmp"}));
  for (const char* profile : {"compute", "test", "snippet", "session"})
    EXPECT_EQ(own_folders(builtin_profiles().at(profile).environment), Strings()) << profile;
  EXPECT_EQ(own_folders({{"HOME", "/root"},
                         {"TMPDIR", "/tmp/../etc"},
                         {"TEMP", "/tmpx/a"},
                         {"TMP", "tmp/a"},
                         {"OTHER", "/tmp/other"}}),
            Strings());
}

}  // namespace
}  // namespace paddock::contracts
