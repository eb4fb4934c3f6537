// What hosts of models are told of the tools.
#include <gtest/gtest.h>

#include "common/mcp/fake_api_test_support.h"

namespace paddock::mcp {
namespace {

using wire::Value;

TEST(McpSchemas, ToolsAreFewAndInAStableOrder) {
  FakeApi api;
  const Server server = make_server(api, "default", "1");
  std::vector<std::string> names;
  for (const Tool& tool : server.tools) {
    names.push_back(tool.name);
    EXPECT_LE(tool.description.size(), 240U) << tool.name;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "sandbox_create", "sandbox_exec", "sandbox_write", "sandbox_read", "sandbox_list",
                "sandbox_destroy", "workspace_create", "run_start", "run_wait", "run_logs",
                "run_artifacts", "run_cancel", "run_list", "plan", "nodes", "execute"}));
}

// What hosts that are strict refuse, each for the whole list of tools: several types for one value,
// members that are not named, lists of anything, references.
void expect_strict(const Value& schema, const std::string& where) {
  for (const auto& [word, value] : *schema.object()) {
    const bool known = word == "type" || word == "description" || word == "properties" ||
                       word == "required" || word == "items" || word == "enum" ||
                       word == "minimum" || word == "maximum";
    EXPECT_TRUE(known) << where << ": " << word;
  }
  const std::string type = schema.text("type");
  ASSERT_FALSE(type.empty()) << where;
  if (type == "array") {
    ASSERT_NE(schema.find("items"), nullptr) << where;
    expect_strict(*schema.find("items"), where + "[]");
  }
  if (type != "object") return;
  ASSERT_NE(schema.find("properties"), nullptr) << where;
  EXPECT_FALSE(schema.find("properties")->object()->empty()) << where;
  for (const auto& [name, member] : *schema.find("properties")->object())
    expect_strict(member, where + "." + name);
}

TEST(McpSchemas, StrictHostsTakeThem) {
  FakeApi api;
  for (const bool folders : {true, false}) {
    api.folders = folders;
    for (const Tool& tool : make_server(api, "default", "1").tools) {
      expect_strict(tool.input, tool.name);
      expect_strict(tool.output, tool.name);
    }
  }
}

}  // namespace
}  // namespace paddock::mcp
