#include "node-agent/app/config.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/app/room_settings.h"
#include "tests/support/settings_golden.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

using testing::HasSubstr;

Result<AgentConfig> from(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return config_from_arguments(pointers);
}

TEST(Config, TheExampleFileIsEqualToTheDefaults) {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  const auto text =
      os::read_file(cat(source == nullptr ? "." : source, "/packaging/node-agent.example.yaml"));
  ASSERT_TRUE(text.ok());
  const auto config = parse_config(*text);
  ASSERT_TRUE(config.ok()) << config.error().describe();
  EXPECT_EQ(wire::encode(*config), wire::encode(AgentConfig{}));
  const wire::Value defaults = wire::encode(AgentConfig{});
  for (const auto& [key, value] : *defaults.object()) {
    EXPECT_THAT(*text, HasSubstr(cat("\n", key, ":")));
  }
}

TEST(Config, SettingsAreThoseOfTheGoldenFile) {
  test::expect_golden_settings(
      "paddock-node-agent",
      wire::settings_variables("PADDOCK_NODE_AGENT_", wire::schema<AgentConfig>()),
      wire::schema<AgentConfig>(), wire::encode(AgentConfig{}));
}

TEST(Config, VariablesOverrideTheFileAndFlagsOverrideBoth) {
  const std::map<std::string, std::string> environment = {
      {"PADDOCK_NODE_AGENT_MAX_RUNS", "7"}, {"PADDOCK_NODE_AGENT_NAME", "from-env"}, {"HOME", "/"}};
  const auto config = parse_config("maxRuns: 2\n", environment);
  ASSERT_TRUE(config.ok()) << config.error().describe();
  EXPECT_EQ(config->max_runs, 7);
  std::string flag = "--name=from-flag";
  char* pointer = flag.data();
  EXPECT_EQ(config_from_arguments({&pointer, 1}, environment)->name, "from-flag");
  EXPECT_EQ(parse_config("", {{"PADDOCK_NODE_AGENT_MAXRUNS", "7"}}).error().reason,
            "CONFIG_INVALID");
}

TEST(Config, FaultsAreNamedByField) {
  const auto config = parse_config("maxRuns: -1\nname: Not_A_Label\nserver: ftp://x\nodd: 1\n");
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().describe(), HasSubstr("maxRuns"));
  EXPECT_THAT(config.error().describe(), HasSubstr("odd"));
  EXPECT_THAT(parse_config("name: Not_A_Label\n").error().describe(), HasSubstr("name"));
  EXPECT_FALSE(parse_config("dataDir: relative\n").ok());
}

TEST(Config, ANullIsTheDefaultAndNeverLessProtection) {
  EXPECT_EQ(parse_config("maxRuns:\nminFree: null\n")->min_free.bytes, 256 << 20);
  for (const char* text : {"ceilings:\n", "ceilings: {limits: {memory: null}}\n",
                           "ceilings: {limits: }\n", "ceilings: {terminationGrace: ~}\n"}) {
    const auto config = parse_config(text);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_THAT(config.error().causes.at(0).field, HasSubstr("ceilings")) << text;
    EXPECT_THAT(config.error().describe(), HasSubstr("give it a value, or leave it out"));
  }
}

TEST(Config, FaultsHaveTheirPlace) {
  const test::TempDir folder;
  const std::string file = folder / "c.yaml";
  ASSERT_TRUE(os::write_file_atomic(file, "server: https://a:1\nodd: 1\n").ok());
  EXPECT_EQ(from({"--config", file}).error().describe(), file + ":2: odd: unknown field");
  EXPECT_THAT(parse_config("", {{"PADDOCK_NODE_AGENT_MAX_RUNS", "x"}}).error().describe(),
              HasSubstr("PADDOCK_NODE_AGENT_MAX_RUNS: maxRuns: "));
  EXPECT_THAT(from({"--wheel-dir", "relative"}).error().describe(),
              testing::StartsWith("--wheel-dir: wheelDir: "));
}

TEST(Config, FlagsWinOverTheFileWhereverTheyStand) {
  std::string pattern = testing::TempDir() + "agent-XXXXXX";
  const std::string base = ::mkdtemp(pattern.data());
  ASSERT_TRUE(
      os::write_file_atomic(base + "/c.yaml", "server: https://a:1\nname: from-file\n").ok());
  const auto config =
      from({"--server=https://b:2", "--config", base + "/c.yaml", "--max-runs", "9"});
  ASSERT_TRUE(config.ok()) << config.error().describe();
  EXPECT_EQ(config->server, "https://b:2");
  EXPECT_EQ(config->name, "from-file");
  EXPECT_EQ(config->max_runs, 9);
  (void)os::remove_tree(base);
}

// A start of a service that waits for ever says nothing to anybody.
TEST(Config, FilesThatNobodyWritesAreNotWaitedFor) {
  const test::TempDir folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(from({"--config", pipe}).error().reason, "NOT_A_REGULAR_FILE");
  AgentConfig config;
  config.ca_file = pipe;
  EXPECT_EQ(endpoint_of(config).error().reason, "NOT_A_REGULAR_FILE");
}

TEST(Config, WrongFlagsAreUsageErrors) {
  EXPECT_EQ(from({"--odd", "x"}).error().reason, "USAGE");
  EXPECT_EQ(from({"--server"}).error().reason, "USAGE");
  EXPECT_EQ(from({"--max-runs", "many"}).error().reason, "USAGE");
  EXPECT_FALSE(from({"--max-runs", "-1"}).ok());
  EXPECT_THAT(from({"--nmae", "a"}).error().message, HasSubstr("did you mean `--name`?"));
  EXPECT_THAT(from({"--pyhton-index"}).error().message,
              HasSubstr("did you mean `--python-index`?"));
  EXPECT_FALSE(from({"--config", "/no/such/file"}).ok());
}

TEST(Config, UsageNamesEachFlag) {
  for (const char* flag :
       {"[--config FILE]", "[--server URL]", "[--ca-file FILE]", "[--data-dir DIR]",
        "[--name NAME]", "[--enroll-token-file FILE]", "[--wheel-dir DIR]", "[--python-index URL]",
        "[--npm-registry URL]", "[--packages-ca FILE]", "[--max-runs N]", "[--instance NAME]",
        "[--gpus]", "[--version]", "[--help]"})
    EXPECT_THAT(usage(), HasSubstr(flag));
}

TEST(Config, AHostNameBecomesANodeName) {
  EXPECT_EQ(node_name_from("Build-Host.example.com"), "build-host-example-com");
  EXPECT_EQ(node_name_from("__x__"), "x");
  EXPECT_EQ(node_name("ip-10-0-0-1.ec2.internal"), "ip-10-0-0-1-ec2-internal");
  EXPECT_EQ(node_name("gpu--1"), "gpu--1") << "a label stays as it is";
  EXPECT_EQ(node_name_from(""), "node");
  EXPECT_EQ(node_name_from(std::string(100, 'a')).size(), 63u);
}

}  // namespace
}  // namespace paddock::agent
