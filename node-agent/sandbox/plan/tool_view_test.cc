#include "node-agent/sandbox/plan/tool_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;
using testing::HasSubstr;

ToolFact program(std::string name, std::string file) {
  return {.name = std::move(name), .file = std::move(file), .interpreter = "/usr/lib/ld.so"};
}

TEST(ToolView, AllowsTheNamedProgramsAndNotTheirLoader) {
  const auto view =
      make_tool_view({program("sh", "/usr/bin/dash"), program("cat", "/usr/bin/cat")});
  ASSERT_TRUE(view.ok());
  EXPECT_TRUE(tool_allowed(*view, "/usr/bin/dash"));
  EXPECT_TRUE(tool_allowed(*view, "/usr/bin/cat"));
  EXPECT_FALSE(tool_allowed(*view, "/usr/lib/ld.so"));
  EXPECT_FALSE(tool_allowed(*view, "/usr/bin/ls"));
  EXPECT_FALSE(tool_allowed(*view, "/workspace/cat"));
  EXPECT_TRUE(tool_allowed({}, "/usr/bin/ls"));
}

TEST(ToolView, NamesTheEntryThatIsNoProgramHere) {
  const auto view = make_tool_view({program("sh", "/usr/bin/dash"), {.name = "nothing"}});
  ASSERT_FALSE(view.ok());
  EXPECT_EQ(view.error().reason, "TOOL_UNAVAILABLE");
  EXPECT_EQ(view.error().causes.at(0).field, "tools[1]");
}

TEST(ToolView, AsksForTheInterpreterOfAScript) {
  const ToolFact script{
      .name = "pip", .file = "/usr/bin/pip", .interpreter = "/usr/bin/python3.11", .script = true};
  const auto alone = make_tool_view({script});
  ASSERT_FALSE(alone.ok());
  EXPECT_THAT(alone.error().message, HasSubstr("/usr/bin/python3.11"));
  EXPECT_TRUE(make_tool_view({script, program("python3", "/usr/bin/python3.11")}).ok());
}

TEST(ToolView, RefusesToNameALoader) {
  const auto view = make_tool_view(
      {program("sh", "/usr/bin/dash"), {.name = "/lib64/ld.so", .file = "/usr/lib/ld.so"}});
  ASSERT_FALSE(view.ok());
  EXPECT_EQ(view.error().reason, "TOOL_UNAVAILABLE");
  EXPECT_EQ(view.error().causes.at(0).field, "tools[1]");
}

// proves: WSM-25
TEST(ToolView, ShowsOtherProgramsAndWhatRunsFilledOnMountsFromWhichNothingIsExecuted) {
  RequestFacts facts;
  facts.tools = {{.name = "awk",
                  .file = "/usr/bin/mawk",
                  .links = {{"/usr/bin/awk", "/etc/alternatives/awk"},
                            {"/etc/alternatives/awk", "/usr/bin/mawk"}}},
                 program("git-core", "/usr/lib/git-core/git"),
                 program("mawk", "/usr/bin/mawk"),
                 program("deep", "/usr/bin/of/more/parts")};
  for (ToolFact& tool : facts.tools) tool.interpreter_on_host = tool.interpreter;
  facts.program_folders = {"/usr/bin", "/sbin"};
  const std::vector<MountEntry> table =
      narrow_to_tools({{Kind::kSystem, "/usr", "/usr"},
                       {Kind::kSystem, "/sbin", "/sbin"},
                       {Kind::kScratch, "/tmp", "", true, 1, 2},
                       {Kind::kBind, "/workspace", "/w", true},
                       {Kind::kBind, "/volumes/data", "/d", false},
                       {Kind::kBind, "/venv", "/v", false}},
                      facts);
  EXPECT_EQ(describe_mounts(table),
            "system /usr ro\n"
            "scratch /tmp 1 bytes 2 files rw noexec\n"
            "bind /workspace from /w rw noexec\n"
            "bind /volumes/data from /d ro noexec\n"
            "bind /venv from /v ro\n"
            "system /usr/bin ro noexec\n"
            "system /sbin ro noexec\n"
            "system /usr/bin/mawk ro\n"
            "system /usr/bin/of/more/parts ro\n"
            "loader /usr/lib/ld.so from /usr/lib/ld.so ro\n");
}

TEST(ToolView, LeavesAVolumeThatHoldsAToolExecutable) {
  RequestFacts facts;
  facts.tools = {{.name = "/volumes/built/tool",
                  .file = "/volumes/built/tool",
                  .interpreter = "/volumes/built/ld.so",
                  .interpreter_on_host = "/trees/b/ld.so"}};
  EXPECT_EQ(describe_mounts(narrow_to_tools({{Kind::kBind, "/volumes/built", "/trees/b"},
                                             {Kind::kBind, "/volumes/built-2", "/trees/c"}},
                                            facts)),
            "bind /volumes/built from /trees/b ro\n"
            "bind /volumes/built-2 from /trees/c ro noexec\n"
            "loader /volumes/built/ld.so from /trees/b/ld.so ro\n");
}

TEST(ToolView, WhatStandsIsWhatEveryRunSees) {
  HostFacts host;
  host.system = {{"/usr", ""}};
  EXPECT_EQ(describe_mounts(standing_mounts(host)), describe_mounts(common_mounts(host)));
  host.standing_tools = {"sh"};
  RequestFacts standing;
  standing.tools = {program("sh", "/usr/bin/dash")};
  standing.program_folders = {"/usr/bin"};
  host.standing = std::make_shared<const RequestFacts>(std::move(standing));
  EXPECT_THAT(describe_mounts(standing_mounts(host)), HasSubstr("system /usr/bin ro noexec\n"));
}

}  // namespace
}  // namespace paddock::sandbox
