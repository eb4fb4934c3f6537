// The total size of all stored files. It is counted beside other work, and written into the
// database now and then, so that a controller that takes over need not list a bucket before it
// serves.
#pragma once

#include <optional>

#include "common/cas/blobs.h"
#include "controller/store/store.h"
#include "controller/workspaces/blob_intake.h"

namespace paddock::workspaces {

class FileCount {
 public:
  FileCount(store::Store& store, const cas::Blobs& blobs, BlobIntake& intake)
      : store_(store), blobs_(blobs), intake_(intake) {
    if (!intake.counted()) told_ = intake.used();  // as the leader before told it
  }

  // The total that the last leader wrote down. None: no leader did, so the files have to be counted
  // first.
  static Result<std::optional<int64_t>> told(store::Store& store);

  // Lists all that is there, unless that was done at the opening; takes as long as that does. One
  // at a time.
  Status begin();
  // Counts all files again.
  Status count() { return intake_.count(); }
  // Writes down what is there, if it changed: also what was added before all of it is counted. One
  // at a time.
  Status tell();

 private:
  Status warn_of_lost_files();

  store::Store& store_;
  const cas::Blobs& blobs_;
  BlobIntake& intake_;
  std::optional<int64_t> told_;
};

}  // namespace paddock::workspaces
