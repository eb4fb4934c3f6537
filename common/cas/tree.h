// A folder as a tree of digests.
#pragma once

#include <string>
#include <vector>

#include "common/cas/blob_store.h"
#include "common/contracts/run.h"

namespace paddock::cas {

// The canonical text of a tree (compact JSON) and its digest, the workspace's root.
std::string canonical_tree(const contracts::Tree& tree);
Digest tree_root(const contracts::Tree& tree);

struct ScanLimits {
  int64_t max_files = 100'000;
  int64_t max_bytes = int64_t{64} << 30;
  // A file of ours that remembers digests between scans (see digest_cache.h); empty: none.
  std::string cache_path = {};
};
struct Scan {
  contracts::Tree tree;
  std::vector<contracts::LeftOut>
      left_out;  // and by which rule: `sub/.gitignore:3: *.log`, `built-in: node_modules/`
  int64_t bytes = 0;
  int64_t hashed_bytes = 0;  // read for their digest; the rest was remembered
};
// Reads a project folder. Ignore rules: .gitignore and .paddockignore semantics in every folder,
// and the built-in ones (.git/, __pycache__/, node_modules/, .venv/). Refused by name: links that
// leave the folder or point at folders, devices, FIFOs, sockets, odd names, case collisions, over a
// limit. A link to a file inside the folder is stored as that file's content. A folder that is left
// out is listed once, with a slash at its end. Errors: WORKSPACE_ENTRY_REFUSED (one cause per
// entry, its path as the field), WORKSPACE_TOO_LARGE, FILE_CHANGED (while it was read, several
// times).
Result<Scan> scan_folder(const std::string& folder, const ScanLimits& limits = {});

}  // namespace paddock::cas
