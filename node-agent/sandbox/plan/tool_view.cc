#include "node-agent/sandbox/plan/tool_view.h"

#include <algorithm>
#include <set>

#include "common/base/text.h"
#include "common/contracts/inner_paths.h"
#include "common/contracts/volume.h"
#include "node-agent/sandbox/result/enforcement.h"

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

bool lies_in(const std::string& path, const std::vector<std::string>& folders) {
  return std::ranges::any_of(
      folders, [&](const std::string& folder) { return contracts::is_within(path, folder); });
}

bool has_loader(const ToolFact& tool) { return !tool.script && !tool.interpreter.empty(); }

// Whether runs, this one or an earlier one, may have filled the mount, and no tool is in it.
// Environments and folders of the host that can only be read hold libraries of the operator's
// choice.
bool filled_by_runs(const MountEntry& entry, const std::vector<ToolFact>& tools) {
  if (entry.writable) return entry.kind == Kind::kBind || entry.kind == Kind::kScratch;
  return entry.kind == Kind::kBind &&
         contracts::is_within(entry.target, contracts::kSandboxVolumes) &&
         std::ranges::none_of(tools, [&](const ToolFact& tool) {
           return contracts::is_within(tool.file, entry.target);
         });
}

Error no_tool(size_t entry, std::string why) {
  return refuse("TOOL_UNAVAILABLE", std::move(why), cat("tools[", entry, "]"));
}

}  // namespace

Result<ToolView> make_tool_view(const std::vector<ToolFact>& tools) {
  ToolView out{.narrowed = true};
  for (size_t i = 0; i < tools.size(); ++i) {
    if (tools[i].file.empty()) {
      return no_tool(i, cat(tools[i].name,
                            " is not a program of this node's system folders; name one that is, by "
                            "its name or its absolute path"));
    }
    out.files.push_back(tools[i].file);
    out.ids.push_back(tools[i].id);
    if (has_loader(tools[i]) && !contains(out.loaders, tools[i].interpreter))
      out.loaders.push_back(tools[i].interpreter);
  }
  for (size_t i = 0; i < tools.size(); ++i) {
    if (contains(out.loaders, tools[i].file))
      return no_tool(i, cat(tools[i].name,
                            " loads programs and would execute any; name the programs themselves"));
    if (!tools[i].script || contains(out.files, tools[i].interpreter)) continue;
    return no_tool(i, cat(tools[i].name, " is a script of ",
                          tools[i].interpreter.empty() ? "an interpreter that is not shown here"
                                                       : tools[i].interpreter,
                          ", which must be listed too"));
  }
  return out;
}

std::vector<MountEntry> narrow_to_tools(std::vector<MountEntry> table, const RequestFacts& facts) {
  std::erase_if(table, [&](const MountEntry& entry) {
    return entry.kind == Kind::kSystem && contains(facts.program_folders, entry.target);
  });
  for (MountEntry& entry : table) entry.no_programs = filled_by_runs(entry, facts.tools);
  for (const std::string& folder : facts.program_folders)
    table.push_back(
        {.kind = Kind::kSystem, .target = folder, .source = folder, .no_programs = true});
  std::set<std::string> placed;
  for (const ToolFact& tool : facts.tools) {
    if (lies_in(tool.file, facts.program_folders) && placed.insert(tool.file).second)
      table.push_back({Kind::kSystem, tool.file, tool.file});
  }
  for (const ToolFact& tool : facts.tools) {
    if (has_loader(tool) && placed.insert(tool.interpreter).second)
      table.push_back({Kind::kLoader, tool.interpreter, tool.interpreter_on_host});
  }
  return table;
}

std::vector<MountEntry> standing_mounts(const HostFacts& host) {
  if (host.standing_tools.empty()) return common_mounts(host);
  return narrow_to_tools(common_mounts(host), *host.standing);
}

void only_tools(const ToolView& view, LandlockQuestion& question) {
  question.only_executables = true;
  question.executables = view.files;
  question.executables.insert(question.executables.end(), view.loaders.begin(), view.loaders.end());
}

bool tool_allowed(const ToolView& view, std::string_view path) {
  return !view.narrowed || contains(view.files, path);
}

}  // namespace paddock::sandbox
