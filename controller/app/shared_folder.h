// The folder `store.postgres.sharedDir`: what controllers of one database have in common
// (shared_files.h), as plain files, such as a Secret of Kubernetes has. Each controller copies from
// there what its data folder lacks, and what is there it keeps: keys that were rotated are newer.
#pragma once

#include <string>

#include "common/base/random.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/app/config.h"
#include "controller/secrets/key_ring.h"

namespace paddock::app {

// CONFIG_INVALID (store.postgres.sharedDir): a file is missing there or cannot be read.
Status take_shared_files(const Config& config);

// The keys of Secrets there; none without that folder. SECRET_KEY_DAMAGED, or why it was not read.
// Those that were put there later are taken as they are needed: by whoever leads those that values
// are sealed with (Controller::take_secret_keys), by a standby the one that seals (shared_files.h).
Result<secrets::KeyRing> shared_secret_keys(const Config& config);

// Makes all of them in a folder that is new or empty, for a database that nobody has led.
// FLAG_INVALID: it has something in it.
Status make_shared_files(const std::string& folder, const Clock& clock, Random& random);

}  // namespace paddock::app
