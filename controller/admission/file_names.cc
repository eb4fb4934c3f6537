#include "controller/admission/file_names.h"

#include "common/base/text.h"

namespace paddock::admission {

FileNames::FileNames(const contracts::Tree& tree) {
  for (const contracts::TreeEntry& entry : tree.entries) names_.insert(entry.path);
  for (const contracts::TreeFolder& folder : tree.folders) empty_folders_.insert(folder.path);
  for (const contracts::TreeLink& link : tree.links) links_.emplace(link.path, link.target);
}

bool FileNames::contains(std::string_view path) const {
  const auto end = contracts::resolve_links(path, links_);
  return end && names_.contains(*end);
}

bool FileNames::has_folder(std::string_view path) const {
  const auto end = contracts::resolve_links(path, links_);
  if (!end) return false;
  if (end->empty() || empty_folders_.contains(*end)) return true;
  const std::string folder = cat(*end, "/");
  const auto first = names_.lower_bound(folder);
  return first != names_.end() && first->starts_with(folder);
}

}  // namespace paddock::admission
