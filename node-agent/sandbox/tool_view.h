// The policy's `tools`: the only programs that can be executed. Three walls: folders of programs
// show nothing else, or are mounted noexec (`show_programs`: then a program that is tried is told
// from one that is not there); what the command can write is mounted noexec; and Landlock gives the
// right to execute to the named files and their loaders alone. Pure.
//
// A program that is listed and interprets files (a shell, Python) runs any script it is given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "node-agent/sandbox/landlock_rules.h"
#include "node-agent/sandbox/mount_table.h"
#include "node-agent/sandbox/request_facts.h"

namespace paddock::sandbox {

struct ToolView {
  bool narrowed = false;             // false: every program of the view may be executed
  std::vector<std::string> files;    // resolved, as the command sees them
  std::vector<std::string> loaders;  // only for programs: executing one by name is not allowed
  std::vector<FileId> ids;           // of `files`
};

// Refuses a name that is nothing here, and a script whose interpreter is not listed too.
Result<ToolView> make_tool_view(const std::vector<ToolFact>& tools);
// The table with other programs hidden and no program to be had from what can be written.
std::vector<MountEntry> narrow_to_tools(std::vector<MountEntry> table, const RequestFacts& facts);
// What every run of a launcher sees that has standing tools; without, of any launcher.
std::vector<MountEntry> standing_mounts(const HostFacts& host);
// What Landlock is asked to let be executed then.
void only_tools(const ToolView& view, LandlockQuestion& question);
// Whether the file at this resolved path of the view may be executed.
bool tool_allowed(const ToolView& view, std::string_view path);

struct ProgramHead {
  bool script = false;
  std::string interpreter;  // as the file names it; empty: needs none, or cannot be read
};
// From the first bytes of a program: the interpreter of an ELF file or a `#!` line.
ProgramHead read_program_head(std::string_view bytes);

}  // namespace paddock::sandbox
