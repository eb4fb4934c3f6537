#include "node-agent/sandbox/tool_view.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

template <class T>
std::optional<T> number_at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

// Offsets of a 64-bit ELF file; programs of another class cannot run in a sandbox at all.
std::string elf_interpreter(std::string_view bytes) {
  constexpr uint32_t kInterpreter = 3;
  const auto table = number_at<uint64_t>(bytes, 32);
  const auto entry_bytes = number_at<uint16_t>(bytes, 54);
  const auto entries = number_at<uint16_t>(bytes, 56);
  if (!table || !entry_bytes || !entries || *table > bytes.size()) return {};
  for (uint64_t i = 0; i < *entries; ++i) {
    const uint64_t at = *table + i * *entry_bytes;
    if (number_at<uint32_t>(bytes, at) != kInterpreter) continue;
    const auto offset = number_at<uint64_t>(bytes, at + 8);
    const auto size = number_at<uint64_t>(bytes, at + 32);
    if (!offset || !size || *offset > bytes.size() || *size > bytes.size() - *offset) return {};
    const std::string_view text = bytes.substr(*offset, *size);
    return std::string(text.substr(0, text.find('\0')));
  }
  return {};
}

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

ProgramHead read_program_head(std::string_view bytes) {
  if (bytes.starts_with("\x7f"
                        "ELF\x02"))
    return {false, elf_interpreter(bytes)};
  if (!bytes.starts_with("#!")) return {};
  const std::string_view line = trim(bytes.substr(2, bytes.find('\n') - 2));
  return {true, std::string(line.substr(0, line.find_first_of(" \t")))};
}

Result<ToolView> make_tool_view(const std::vector<ToolFact>& tools) {
  ToolView out{.narrowed = true};
  for (size_t i = 0; i < tools.size(); ++i) {
    if (tools[i].file.empty()) {
      return Error{Code::kFailedPrecondition, "TOOL_UNAVAILABLE",
                   cat("tools[", i, "]: ", tools[i].name,
                       " is not a program of this node's system folders; name one that is, by its "
                       "name or its absolute path")};
    }
    out.files.push_back(tools[i].file);
    out.ids.push_back(tools[i].id);
    if (!tools[i].script && !tools[i].interpreter.empty() &&
        !contains(out.loaders, tools[i].interpreter)) {
      out.loaders.push_back(tools[i].interpreter);
    }
  }
  for (size_t i = 0; i < tools.size(); ++i) {
    if (!tools[i].script || contains(out.files, tools[i].interpreter)) continue;
    return Error{Code::kFailedPrecondition, "TOOL_UNAVAILABLE",
                 cat("tools[", i, "]: ", tools[i].name, " is a script of ",
                     tools[i].interpreter.empty() ? "an interpreter that is not shown here"
                                                  : tools[i].interpreter,
                     ", which must be listed too")};
  }
  return out;
}

std::vector<MountEntry> narrow_to_tools(std::vector<MountEntry> table, const RequestFacts& facts) {
  std::erase_if(table, [&](const MountEntry& entry) {
    return entry.kind == Kind::kSystem && contains(facts.program_folders, entry.target);
  });
  for (MountEntry& entry : table)
    entry.no_programs =
        entry.writable && (entry.kind == Kind::kBind || entry.kind == Kind::kScratch);
  for (const std::string& folder : facts.program_folders) {
    MountEntry entry{Kind::kCover, folder, ""};
    if (facts.show_programs)
      entry = {.kind = Kind::kSystem, .target = folder, .source = folder, .no_programs = true};
    table.push_back(std::move(entry));
  }
  std::set<std::string> placed;
  const auto hidden = [&](const std::string& path) {
    return contains(facts.program_folders, parent_of(path)) && placed.insert(path).second;
  };
  for (const ToolFact& tool : facts.tools) {
    for (const LinkFact& link : tool.links) {
      if (!facts.show_programs && hidden(link.path))
        table.push_back({Kind::kSymlink, link.path, link.target});
    }
    if (hidden(tool.file)) table.push_back({Kind::kSystem, tool.file, tool.file});
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
