// Publishing: the artifacts of a run that succeeded become the next version of a volume. In two
// steps, since the record must change in one transaction and blobs are no part of it:
//   prepare()  before: the tree of the artifacts is stored among the blobs
//   publish()  inside the transaction that ends the run: the version is recorded
// Pruning is part of publishing: only the newest versions stay, and the sweeper (workspaces) then
// removes what nothing names.
#pragma once

#include <map>
#include <string>

#include "common/base/random.h"
#include "common/cas/blobs.h"
#include "common/contracts/sync.h"
#include "controller/store/store.h"

namespace paddock::volumes {

struct VolumeLimits {
  int64_t keep_versions = 10;
  int64_t per_namespace = 100;
};

// The tree that a run may publish, or why it cannot.
struct Offer {
  contracts::Digest root;
  int64_t files = 0;
  int64_t bytes = 0;
  std::string volume_uid;  // should the volume be new
};
struct Publishing {
  std::map<std::string, Result<Offer>> offers;  // by the run's uid
  VolumeLimits limits;
};

// The tree of these artifacts. InvalidArgument: NOTHING_TO_PUBLISH, or what no tree may hold.
Result<contracts::Tree> tree_of(const std::vector<contracts::Artifact>& artifacts);

// Makes the offers of a node's reports: one for each report that ends a run which publishes. What
// is wrong with one run stands in its offer: Unavailable is the disk's or the bucket's and may
// pass, all others are final. An error of all of them is the store's.
Result<Publishing> prepare(store::Store& store, const cas::Blobs& blobs, const std::string& node,
                           const std::vector<contracts::RunReport>& reports,
                           const VolumeLimits& limits, Random& random);

// Records `offer` as the next version of run.spec.publish, also in the audit log, and returns its
// number. Each caller gets a number of its own. ResourceExhausted (VOLUME_LIMIT) when the namespace
// has its number of volumes.
Result<int64_t> publish(store::WriteTxn& txn, const contracts::Run& run, const Offer& offer,
                        const VolumeLimits& limits, WallTime now);

// Adds a version and drops the oldest beyond `keep`. Pure.
int64_t add_version(contracts::Volume& volume, contracts::VolumeVersion version, int64_t keep);

}  // namespace paddock::volumes
