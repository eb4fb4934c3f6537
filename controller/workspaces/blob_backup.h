// The files of a backup, beside its copy of the store: <target>/<first two hex digits>/<digest>, as
// the blob store has them, each under a second name, so that they cost no room until the store
// forgets them.
#pragma once

#include <string>
#include <vector>

#include "common/cas/blobs.h"
#include "controller/store/store.h"

namespace paddock::workspaces {

struct KeptBlobs {
  int64_t blobs = 0;
  int64_t bytes = 0;
};
// Every blob there is; to be called once the store was copied: what the copy names was needed just
// now, and no sweep takes that. Whole or not at all. AlreadyExists (BACKUP_EXISTS). Blobs on
// another host (Blobs::remote) are not copied.
Result<KeptBlobs> keep_blobs(const cas::Blobs& blobs, const std::string& target);

// A blob that the store names and that is not there as it should be.
struct BlobFault {
  contracts::Digest digest;
  bool damaged = false;  // else missing
};
struct RestoredBlobs {
  int64_t put_back = 0;
  std::vector<BlobFault> faults;  // by digest
};
// Puts back what is missing or damaged in the blob store and whole in the backup, of what `store`
// names; every blob that it names is read and compared with its digest, unless it lies on another
// host: then its presence counts. A backup without a folder
// of blobs puts nothing back. `kept` is left as it is.
Result<RestoredBlobs> restore_blobs(store::Store& store, const cas::Blobs& blobs,
                                    const std::string& kept);

}  // namespace paddock::workspaces
