#include "cli/instance/agent_settings.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/yaml.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;

TEST(AgentSettings, KeysAreSetInTheExampleAndAllElseStays) {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  const auto example =
      os::read_file(cat(source == nullptr ? "." : source, "/packaging/node-agent.example.yaml"));
  ASSERT_TRUE(example.ok());
  const auto text = set_agent_keys(
      *example,
      {{"server", "https://c.example:8443"}, {"name", "007"}, {"caFile", "/var/lib/a b/ca.pem"}});
  ASSERT_TRUE(text.ok()) << text.error().message;
  const auto settings = read_agent_settings(*text);
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->server, "https://c.example:8443");
  EXPECT_EQ(settings->name, "007") << "a name of digits stays a text";
  EXPECT_EQ(settings->ca_file, "/var/lib/a b/ca.pem");
  EXPECT_EQ(settings->data_dir, kAgentDataDir);
  EXPECT_EQ(split(*text, '\n').size(), split(*example, '\n').size());
  EXPECT_THAT(*text, HasSubstr("# For node selection"));
}

TEST(AgentSettings, AnEmptyFileGetsTheKeysAlone) {
  const auto text = set_agent_keys("", {{"server", "https://c:1"}, {"name", "node-1"}});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "server: https://c:1\nname: node-1\n");
  EXPECT_EQ(*set_agent_keys(*text, {{"name", "m"}}), "server: https://c:1\nname: m\n");
}

TEST(AgentSettings, WhatCannotBeChangedByLineIsRefusedWithWhatToSet) {
  for (const char* text : {"server: >-\n  https://x\n", "{server: https://x}\n"}) {
    const auto refused = set_agent_keys(text, {{"server", "https://c:1"}});
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_EQ(refused.error().reason, "AGENT_CONFIG_INVALID");
    EXPECT_THAT(refused.error().message, HasSubstr("server: https://c:1"));
  }
  for (const char* text : {"[1, 2]\n", "a: [\n", "just words\n"})
    EXPECT_EQ(read_agent_settings(text).error().reason, "AGENT_CONFIG_INVALID") << text;
}

}  // namespace
}  // namespace paddock::cli
