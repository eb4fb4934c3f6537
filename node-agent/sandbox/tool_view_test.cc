#include "node-agent/sandbox/tool_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/os/file.h"

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
  EXPECT_THAT(view.error().message, HasSubstr("tools[1]: nothing"));
}

TEST(ToolView, AsksForTheInterpreterOfAScript) {
  const ToolFact script{
      .name = "pip", .file = "/usr/bin/pip", .interpreter = "/usr/bin/python3.11", .script = true};
  const auto alone = make_tool_view({script});
  ASSERT_FALSE(alone.ok());
  EXPECT_THAT(alone.error().message, HasSubstr("/usr/bin/python3.11"));
  EXPECT_TRUE(make_tool_view({script, program("python3", "/usr/bin/python3.11")}).ok());
}

TEST(ToolView, HidesOtherProgramsAndMountsNoexecWhatCanBeWritten) {
  RequestFacts facts;
  facts.tools = {{.name = "awk",
                  .file = "/usr/bin/mawk",
                  .links = {{"/usr/bin/awk", "/etc/alternatives/awk"},
                            {"/etc/alternatives/awk", "/usr/bin/mawk"}}},
                 program("git-core", "/usr/lib/git-core/git"),
                 program("mawk", "/usr/bin/mawk")};
  facts.program_folders = {"/usr/bin", "/sbin"};
  const std::vector<MountEntry> table = narrow_to_tools({{Kind::kSystem, "/usr", "/usr"},
                                                         {Kind::kSystem, "/sbin", "/sbin"},
                                                         {Kind::kScratch, "/tmp", "", true, 1, 2},
                                                         {Kind::kBind, "/workspace", "/w", true},
                                                         {Kind::kBind, "/venv", "/v", false}},
                                                        facts);
  EXPECT_EQ(describe_mounts(table),
            "system /usr ro\n"
            "scratch /tmp 1 bytes 2 files rw noexec\n"
            "bind /workspace from /w rw noexec\n"
            "bind /venv from /v ro\n"
            "cover /usr/bin ro\n"
            "cover /sbin ro\n"
            "symlink /usr/bin/awk -> /etc/alternatives/awk ro\n"
            "system /usr/bin/mawk ro\n");
}

// proves: WSM-25
TEST(ToolView, ShowsOtherProgramsOnMountsFromWhichNothingIsExecuted) {
  RequestFacts facts;
  facts.tools = {{.name = "awk",
                  .file = "/usr/bin/mawk",
                  .links = {{"/usr/bin/awk", "/etc/alternatives/awk"}}}};
  facts.program_folders = {"/usr/bin"};
  facts.show_programs = true;
  EXPECT_EQ(describe_mounts(narrow_to_tools({{Kind::kSystem, "/usr", "/usr"}}, facts)),
            "system /usr ro\n"
            "system /usr/bin ro noexec\n"
            "system /usr/bin/mawk ro\n");
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
  EXPECT_THAT(describe_mounts(standing_mounts(host)), HasSubstr("cover /usr/bin ro\n"));
}

TEST(ProgramHead, NamesWhatTheKernelStarts) {
  EXPECT_EQ(read_program_head("#!/bin/sh\necho\n").interpreter, "/bin/sh");
  EXPECT_EQ(read_program_head("#! /usr/bin/env python3\n").interpreter, "/usr/bin/env");
  EXPECT_TRUE(read_program_head("#!/bin/sh").script);
  EXPECT_EQ(read_program_head("").interpreter, "");
  EXPECT_EQ(read_program_head("\x7f"
                              "ELF")
                .interpreter,
            "");
  const auto own = os::read_file("/proc/self/exe", size_t{1} << 30);
  ASSERT_TRUE(own.ok());
  const ProgramHead head = read_program_head(*own);
  EXPECT_FALSE(head.script);
  EXPECT_THAT(head.interpreter, HasSubstr("ld"));
}

TEST(ProgramHead, SurvivesEveryCutAndEveryFlippedByte) {
  const auto own = os::read_file("/proc/self/exe", size_t{1} << 30);
  ASSERT_TRUE(own.ok());
  const std::string head = own->substr(0, 1200);
  for (size_t size = 0; size < head.size(); ++size)
    (void)read_program_head(std::string_view(head).substr(0, size));
  for (size_t at = 4; at < head.size(); ++at) {
    std::string broken = head;
    broken[at] = static_cast<char>(~broken[at]);
    (void)read_program_head(broken);
  }
}

}  // namespace
}  // namespace paddock::sandbox
