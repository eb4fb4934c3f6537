// What controllers of one database must have in common in their data folders: whoever leads next
// would revoke the tokens of the one before it, show a certificate that nobody trusts, or miss
// files that the database names.
#pragma once

#include "common/base/random.h"
#include "common/base/result.h"
#include "controller/app/config.h"
#include "controller/store/lead_watch.h"
#include "controller/store/store.h"

namespace paddock::app {

// By the leader at its start, once its files are made: what the others compare theirs with.
Status tell_shared_files(store::Store& store, const Config& config, Random& random);

// By one that would lead after another instance. False: there was nothing to differ from yet, since
// the leader has just begun and did not tell its files: ask again. FailedPrecondition,
// STANDBY_FILES_DIFFER, with a cause for each file.
Result<bool> check_shared_files(store::LeadWatch& leader, const Config& config);

}  // namespace paddock::app
