// What a run leaves behind, collected after its sandbox is gone. Everything in the workspace is
// hostile by then: no link is followed, nothing that could block is opened, and each file that does
// not come back is named with its rule, also one that the disk does not give. While something can
// still write there, `due` says which files are looked into, and what changes meanwhile is passed
// over (finished_files.h).
#pragma once

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/run.h"

namespace paddock::artifacts {

struct CollectLimits {
  int64_t files = 10'000;
  int64_t bytes = int64_t{16} << 30;  // all files together; a sparse file counts with its full size
  int64_t name_bytes = 1 << 20;       // all names together, as JSON: the outcome must fit into one
                                      // call
  int64_t left_out = 1'000;           // then one more entry says how many were not listed; a file
                                      // in two of the folders may count twice there
  int64_t kept_names = 32 << 20;      // kept while walking (os::WalkBounds): some 400,000
  int64_t disk_faults = 8;            // then no more is read: a disk that fails answers slowly
};

struct Collected {
  std::vector<contracts::Artifact> artifacts;  // in bytewise order of their paths per folder
  std::vector<contracts::LeftOut> left_out;
  std::vector<std::string> unchanged;  // paths of files that are as the run found them
  int64_t bytes = 0;
  std::optional<Error> disk_fault;  // the first: some are left out for it
};

// `./a//b/` is a/b, and the workspace itself is "."; an absolute path stays absolute.
std::string normalized_dir(const std::string& dir);

struct CollectRequest {
  std::vector<std::string> dirs;   // relative to the workspace; "." is all of it
  std::vector<std::string> types;  // only files with these endings; empty: all
  // What the run found. In the folder ".", files that are as the run found them are no artifacts,
  // and folders that are left out of every upload (.git, node_modules, …) are named and not
  // entered.
  contracts::Tree before;
  // While the run lives: whether this file is looked into. What is being written, or is as the run
  // found it, is passed over then, in all folders. Empty: nothing can write any more.
  std::function<bool(const std::string& path, const struct stat& stat)> due = {};
};

// Whether a file of this name may come back: the last extension, in any case, is one of `types`.
bool allowed_type(std::string_view name, const std::vector<std::string>& types);

// `root` is the workspace's folder. INTERRUPTED once `interrupted()` says so.
Result<Collected> collect(int root, const CollectRequest& request, const CollectLimits& limits,
                          const std::function<bool()>& interrupted);

}  // namespace paddock::artifacts
