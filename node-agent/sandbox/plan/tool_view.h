// The policy's `tools`: the only programs that can be executed. What decides is the file that the
// kernel would start, by whatever name: Landlock gives the right to execute to the named files
// alone, and to copies of their loaders that execute nothing by themselves (program_head.h). Files
// in memory, which Landlock does not see, are made so that they cannot be executed, or not at all
// (seccomp_rules_command.cc). Mounted noexec are the folders of programs, so that others look like
// what they are, and what a command or another run can have written: it is no library of a listed
// program either. Pure.
//
// A program that is listed and interprets files (a shell, Python) runs any script it is given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "node-agent/sandbox/plan/landlock_rules.h"
#include "node-agent/sandbox/plan/mount_table.h"
#include "node-agent/sandbox/plan/request_facts.h"

namespace paddock::sandbox {

struct ToolView {
  bool narrowed = false;             // false: every program of the view may be executed
  std::vector<std::string> files;    // resolved, as the command sees them
  std::vector<std::string> loaders;  // their copies, which the kernel starts for programs only
  std::vector<FileId> ids;           // of `files`
};

// Refuses a name that is nothing here, a script whose interpreter is not listed too, and a loader.
Result<ToolView> make_tool_view(const std::vector<ToolFact>& tools);
// The table with nothing but the tools to be executed.
std::vector<MountEntry> narrow_to_tools(std::vector<MountEntry> table, const RequestFacts& facts);
// The mounts that every run of a launcher with standing tools sees; for a launcher without, those
// of any.
std::vector<MountEntry> standing_mounts(const HostFacts& host);
// Asks Landlock to let only these tools be executed.
void only_tools(const ToolView& view, LandlockQuestion& question);
// Whether the file at this resolved path of the view may be executed.
bool tool_allowed(const ToolView& view, std::string_view path);

}  // namespace paddock::sandbox
