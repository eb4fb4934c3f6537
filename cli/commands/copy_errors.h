// Words errors about a file of `paddock cp` or `paddock files` for the person who typed the
// command: which file, on which side it is, and the way that works. Pure.
#pragma once

#include <string>

#include "cli/options/run_path.h"
#include "common/base/result.h"

namespace paddock::cli {

// A place in a run, and what the command wanted of it. `typed` is how the command line names it.
struct RunPlace {
  enum class Wish { kRead, kList, kPut };
  std::string typed;
  RunPath path;
  Wish wish = Wish::kRead;
};

// An error of the run's side. What is wrong with the connection, the caller or the run's name is
// about no file, and stays as it is.
Error of_run_file(Error error, const RunPlace& place);

// An error of this side, of what was typed so.
Error of_file_here(Error error, const std::string& typed);

// The line that sends a folder with all below it, as `paddock cp` sends one file at a time.
std::string folder_way(const std::string& typed, const RunPath& to);
// The line that sends a file of any size.
std::string large_way(const std::string& typed, const RunPath& to);

}  // namespace paddock::cli
