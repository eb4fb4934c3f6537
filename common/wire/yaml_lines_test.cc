#include "common/wire/yaml_lines.h"

#include <gtest/gtest.h>

namespace paddock::wire {
namespace {

constexpr const char* kPolicy =
    "# a policy\n"
    "limits:\n"
    "  memory: 2Gi\n"
    "  pids: 8\n"
    "network: {enabled: true,\n"
    "  allowDomains: [a.example,\n"
    "    b.example]}\n"
    "hostMounts:\n"
    "- hostPath: /data\n"
    "  mode: rw\n";

TEST(YamlLines, FindsFieldsAndEntries) {
  EXPECT_EQ(line_of(kPolicy, "limits"), 2);
  EXPECT_EQ(line_of(kPolicy, "limits.memory"), 3);
  EXPECT_EQ(line_of(kPolicy, "network.enabled"), 5);
  EXPECT_EQ(line_of(kPolicy, "network.allowDomains[1]"), 7);
  EXPECT_EQ(line_of(kPolicy, "hostMounts[0].mode"), 10);
  EXPECT_EQ(line_of("{\"limits\": {\n\"pids\": 3}}", "limits.pids"), 2) << "JSON is YAML";
}

TEST(YamlLines, NamesTheNearestOneAround) {
  EXPECT_EQ(line_of(kPolicy, "limits.memroy"), 2);
  EXPECT_EQ(line_of(kPolicy, "hostMounts[3].mode"), 8);
  EXPECT_EQ(line_of(kPolicy, "nothing.of.it"), std::nullopt);
  EXPECT_EQ(line_of("", "limits"), std::nullopt);
  EXPECT_EQ(line_of("a: [", "a"), std::nullopt);
  EXPECT_EQ(line_of("just text", "a"), std::nullopt);
}

TEST(YamlLines, AreOfOneDocumentOfSeveral) {
  const YamlLines lines("a: 1\n---\n# nothing\n---\nitems:\n- b: 2\n- c: 3\n");
  EXPECT_EQ(lines.of("a"), 1);
  EXPECT_EQ(lines.of("a", 1), std::nullopt);
  EXPECT_EQ(lines.of("items[1].c", 2), 7);
  EXPECT_EQ(lines.of("items[1].c", 3), std::nullopt);
  EXPECT_EQ(YamlLines("a: [").of("a"), std::nullopt);
}

}  // namespace
}  // namespace paddock::wire
