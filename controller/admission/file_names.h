// The files of a workspace by name, for the rules that ask whether one is there. Pure.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "common/contracts/tree.h"
#include "common/contracts/tree_path.h"

namespace paddock::admission {

class FileNames {
 public:
  FileNames() = default;
  FileNames(std::initializer_list<std::string> names) : names_(names) {}
  explicit FileNames(const contracts::Tree& tree);

  // Links of the tree are followed. Paths are clean and relative.
  bool contains(std::string_view path) const;
  bool has_folder(std::string_view path) const;

 private:
  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> empty_folders_;
  contracts::TreeLinks links_;
};

}  // namespace paddock::admission
