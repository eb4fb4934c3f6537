// A folder as a tree of digests.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/cas/blob_store.h"
#include "common/contracts/run.h"

namespace paddock::cas {

// The canonical text of a tree (compact JSON) and its digest, the workspace's root.
std::string canonical_tree(const contracts::Tree& tree);
Digest tree_root(const contracts::Tree& tree);

// A file that an earlier run brought back into the project.
struct Returned {
  Digest digest;
  std::string run;
};
using ReturnedFiles = std::map<std::string, Returned, std::less<>>;  // by path

struct ScanLimits {
  int64_t max_files = 100'000;
  int64_t max_bytes = int64_t{64} << 30;
  int64_t max_file = std::numeric_limits<int64_t>::max();  // what the server takes
  ReturnedFiles returned = {};                             // left out while they are as they came
  std::set<std::string> returned_folders = {};  // made for them: left out while nothing else is in
  // Folders that are in the tree if they are here, though a rule leaves out what is in them.
  std::vector<std::string> asked_folders = {};
  // A file of ours that remembers digests between scans (see digest_cache.h); empty: none.
  std::string cache_path = {};
};
struct Scan {
  contracts::Tree tree;
  // And by which rule: `sub/.gitignore:3: *.log`, `built-in: node_modules/`. Secrets come first.
  std::vector<contracts::LeftOut> left_out;
  size_t secrets = 0;  // of `left_out`
  std::map<std::string, int>
      added;  // entries that are no files of the folder: an open file, the caller's, by path
  int64_t bytes = 0;
  int64_t hashed_bytes = 0;  // read for their digest; the rest was remembered
};
// Reads a project folder. Ignore rules: .gitignore and .paddockignore semantics in every folder,
// and the built-in ones of ignore.h. Left out besides: Python environments (pyvenv.cfg), data
// folders of Paddock itself (paddock.db, agent.lock), private keys (private_key.h), links to what
// does not come along, devices, FIFOs, sockets, files that keep changing while they are read. Other
// links and empty folders come as they are; a file that grows is taken as long as it was first
// seen. Refused by name: odd names, case collisions, what cannot be read, files over `max_file`. A
// folder that is left out is listed once, with a slash at its end. Errors: WORKSPACE_ENTRY_REFUSED
// (one cause per entry, its path as the field), WORKSPACE_TOO_LARGE.
Result<Scan> scan_folder(const std::string& folder, const ScanLimits& limits = {});
// Lists what a scan would leave out, and nothing else: no file is read for its digest.
Result<Scan> left_out_of_folder(const std::string& folder);

// How many of `left_out` are told where there is little room: a few, or all secrets up to 20.
size_t worth_telling(const Scan& scan);

}  // namespace paddock::cas
