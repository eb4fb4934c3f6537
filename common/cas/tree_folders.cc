// Finds the folders of a project that a tree lists beside its files: those with nothing in them.
#include "common/cas/scan_collector.h"

namespace paddock::cas {
namespace {

std::set<std::string> filled_folders(const contracts::Tree& tree) {
  std::set<std::string> filled;
  for (const auto& entry : tree.entries) filled.insert(os::folder_of(entry.path));
  for (const auto& link : tree.links) filled.insert(os::folder_of(link.path));
  return filled;
}

}  // namespace

std::set<std::string> without_made(const std::set<std::string>& folders,
                                   const std::set<std::string>& made, const contracts::Tree& tree) {
  std::set<std::string> filled = filled_folders(tree);
  std::set<std::string> out;
  for (auto each = folders.rbegin(); each != folders.rend();
       ++each) {  // what is inside comes first
    if (made.contains(*each) && !filled.contains(*each)) continue;
    filled.insert(os::folder_of(*each));
    out.insert(*each);
  }
  return out;
}

std::vector<contracts::TreeFolder> empty_folders(const std::set<std::string>& folders,
                                                 const contracts::Tree& tree) {
  std::set<std::string> filled = filled_folders(tree);
  for (const std::string& folder : folders) filled.insert(os::folder_of(folder));
  std::vector<contracts::TreeFolder> out;
  for (const std::string& folder : folders) {
    if (!filled.contains(folder)) out.push_back({folder});
  }
  return out;
}

}  // namespace paddock::cas
