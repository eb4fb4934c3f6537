#include "controller/workspaces/tree_change.h"

#include <utility>

#include "common/base/text.h"
#include "common/contracts/audit.h"
#include "common/wire/json.h"

namespace paddock::workspaces {
namespace {

using contracts::Tree;

// The content of each path, as a text that differs if the file does.
std::map<std::string, std::string> contents_of(const Tree& tree) {
  std::map<std::string, std::string> out;
  for (const contracts::TreeEntry& entry : tree.entries)
    out.emplace(entry.path, cat(entry.executable ? "program " : "file ", entry.digest));
  for (const contracts::TreeLink& link : tree.links)
    out.emplace(link.path, cat("link ", link.target));
  for (const contracts::TreeFolder& folder : tree.folders) out.emplace(cat(folder.path, "/"), "");
  return out;
}

std::string beginning_of(const std::vector<std::string>& paths) {
  std::string out = "[";
  for (const std::string& path : paths) {
    const std::string word = wire::to_json(path);
    if (out.size() + word.size() + 2 > contracts::kAuditText) continue;
    if (out.size() > 1) out += ',';
    out += word;
  }
  return out + "]";
}

void tell(std::map<std::string, std::string>& details, const std::string& what,
          const std::vector<std::string>& paths) {
  details[what] = std::to_string(paths.size());
  if (!paths.empty()) details[cat(what, "Paths")] = beginning_of(paths);
}

}  // namespace

TreeChange change_of(const Tree& before, const Tree& after) {
  TreeChange change;
  auto gone = contents_of(before);
  for (const auto& [path, content] : contents_of(after)) {
    const auto old = gone.extract(path);
    if (old.empty() || old.mapped() != content) change.written.push_back(path);
  }
  for (const auto& [path, content] : gone) change.removed.push_back(path);
  return change;
}

std::map<std::string, std::string> details_of(const TreeChange& change) {
  std::map<std::string, std::string> details;
  tell(details, "written", change.written);
  tell(details, "removed", change.removed);
  return details;
}

}  // namespace paddock::workspaces
