// Reads what a folder of a run holds, folder by folder, while the run changes it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/contracts/session_calls.h"

namespace paddock::cli {

struct RunTree {
  std::vector<std::string> files;    // relative to the folder
  std::vector<std::string> folders;  // those of its folders that hold nothing
  std::vector<std::string> others;   // links, pipes, sockets, devices: nothing that is copied
};

inline constexpr size_t kMostTreeEntries = 10'000;
inline constexpr size_t kMostTreeDepth = 64;

// `list`: what a folder holds, by its path relative to the first one (empty: that itself). A folder
// that is gone by then holds nothing. TOO_MANY_FILES, TREE_TOO_DEEP; UNEXPECTED_ANSWER: a name that
// leads elsewhere.
using ListFolder = std::function<Result<contracts::SessionFileList>(const std::string& path)>;
Result<RunTree> read_run_tree(const ListFolder& list);

}  // namespace paddock::cli
