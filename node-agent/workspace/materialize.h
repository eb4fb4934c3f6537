// A tree on disk for one run: a folder of its own, files copied (reflinked where the filesystem
// can) from the node's blob store, so that a run can change its files and never the store. The
// folder must be fresh: nobody else may write into it while it is filled.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/parallel.h"
#include "common/cas/blob_store.h"
#include "common/contracts/tree.h"

namespace paddock::workspace {

struct Owner {
  uid_t uid = 0;
  gid_t gid = 0;
};

struct Materialized {
  int64_t files = 0;
  int64_t bytes = 0;
};

// The time of every file, link and folder of a fresh workspace: older than whatever the run writes,
// so that what was built before is as new as its sources. 2000-01-01T00:00:00Z.
inline constexpr int64_t kTreeTime = 946'684'800;

// Folders that are made besides the tree's own, parents first.
using Folders = std::set<std::string>;

// The wanted folders (relative, normalized) with their parents, without those at or below a file or
// a link of the project, which stays. `taken` says where these are.
Folders free_folders(const std::vector<std::string>& wanted,
                     const std::function<bool(const std::string&)>& taken);
// What `taken` is for a tree, which stays (its lists are sorted), and for one that is on the disk
// already.
std::function<bool(const std::string&)> taken_in(const contracts::Tree& tree);
std::function<bool(const std::string&)> taken_below(std::string files);

// Makes `folder` and fills it, with `more` folders; by several of `parallel` at a time, if given.
// Files get 0644 or 0755, folders 0755; all belong to `owner` if given. Links come last, when
// nothing is opened any more. Stops with Code kDeadlineExceeded, reason INTERRUPTED, once
// `interrupted()` says so. Errors: TREE_INVALID for paths that no tree may have, BLOB_NOT_FOUND,
// and what the disk says.
Result<Materialized> materialize(const contracts::Tree& tree, const cas::BlobStore& store,
                                 const std::string& folder, std::optional<Owner> owner,
                                 const std::function<bool()>& interrupted, const Folders& more = {},
                                 const Parallel& parallel = {});

// Makes `folder` with these folders and nothing else: what lies above a tree that others share.
Status make_layer(const std::string& folder, const Folders& folders, std::optional<Owner> owner);

}  // namespace paddock::workspace
