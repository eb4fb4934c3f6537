// The blobs that a configuration means: in the data folder, or in a bucket.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/random.h"
#include "common/base/time.h"
#include "common/cas/blobs.h"
#include "controller/app/config.h"

namespace paddock::app {

struct OpenedBlobs {
  std::unique_ptr<cas::Blobs> blobs;
  std::string folder;                  // what comes in is written here first
  std::function<void()> stop = [] {};  // ends what is under way to another host; any thread
};

// Opens the store of blobs. If the data folder has blobs from a time before the bucket, they are
// sent there first, and the folder is renamed to `blobs.moved`. FailedPrecondition:
// BLOBS_ELSEWHERE, BUCKET_CREDENTIALS, BUCKET_TAKEN; Unavailable: what the bucket's server does not
// do.
Result<OpenedBlobs> open_blobs(const Config& config, const Clock& clock, Random& random);

// The error that open_blobs would give for a bucket, as far as reading alone tells: nothing is
// written there or here. To be called only where the configuration has a bucket.
Status check_bucket(const Config& config, const Clock& clock);

// The file that says that a data folder's blobs lie in a bucket.
std::string bucket_mark(const std::string& data_dir);

}  // namespace paddock::app
