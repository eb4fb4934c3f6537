// Folders that a write needs on its way. They are made with it or not at all: of a write that is
// refused or fails none is left, unless something has put a file there meanwhile.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"

namespace paddock::files {

class NewFolders {
 public:
  explicit NewFolders(int root) : root_(root) {}
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  ~NewFolders();
  // With those above it; one that is there is fine. Errors of failed() where something else is.
  Status make(const std::string& path);
  void keep() { made_.clear(); }  // what they were made for is there

 private:
  const int root_;
  std::vector<std::string> made_;  // those above first
};

}  // namespace paddock::files
