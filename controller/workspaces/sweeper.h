// Removes blobs that nothing needs any more. Needed are: the trees of workspaces, of volumes'
// versions and of runs that have not ended, with their files, and the artifacts of every run there
// is. What is not needed goes once two sweeps in a row found it so and nobody used it for `keep`: a
// run that is being created while one sweep looks is in the store when the next one does, and an
// upload under way is recent. Not thread-safe; beside everything else it is safe.
#pragma once

#include <set>

#include "common/cas/tree.h"
#include "controller/store/store.h"
#include "controller/workspaces/visit_objects.h"

namespace paddock::workspaces {

struct Swept {
  int64_t blobs = 0;
  int64_t bytes = 0;
};

// The blobs that the objects of a store name: trees, and files beside them.
struct NamedBlobs {
  std::set<contracts::Digest> trees;
  std::set<contracts::Digest> files;
};
Result<NamedBlobs> named_blobs(store::Store& store, Unreadable unreadable);

// The digests of all blobs that are needed. A tree that is not here needs nothing.
// STORE_DATA_INVALID: an object that cannot be read may need any.
Result<std::set<contracts::Digest>> needed_blobs(store::Store& store, const cas::Blobs& blobs);

class Sweeper {
 public:
  Sweeper(store::Store& store, const cas::Blobs& blobs, Millis keep)
      : store_(store), blobs_(blobs), keep_(keep) {}
  Result<Swept> sweep(WallTime now);

 private:
  store::Store& store_;
  const cas::Blobs& blobs_;
  const Millis keep_;
  std::set<contracts::Digest> unneeded_before_;
};

}  // namespace paddock::workspaces
