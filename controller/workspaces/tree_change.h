// Says what an upload changes in a workspace's files, for the audit log. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/contracts/tree.h"

namespace paddock::workspaces {

// Paths, in order; those of empty folders end with a slash.
struct TreeChange {
  std::vector<std::string> written;  // new, or with other content, target or right to execute
  std::vector<std::string> removed;
  friend bool operator==(const TreeChange&, const TreeChange&) = default;
};
TreeChange change_of(const contracts::Tree& before, const contracts::Tree& after);

// How many, and as many of the paths as one detail of a record holds, as a JSON array.
std::map<std::string, std::string> details_of(const TreeChange& change);

}  // namespace paddock::workspaces
