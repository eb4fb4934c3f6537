// Compares the files that all controllers of one database must have in common in their data
// folders. If they differed, the next leader would revoke the tokens of the one before it, show a
// certificate that nobody trusts, or miss files that the database names.
#pragma once

#include "common/base/random.h"
#include "common/base/result.h"
#include "controller/app/config.h"
#include "controller/store/lead_watch.h"
#include "controller/store/store.h"

namespace paddock::app {

// The leader calls this at its start, once its files are made, and so records what others compare
// theirs with.
Status tell_shared_files(store::Store& store, const Config& config, Random& random);

// Before a store comes from its database into this data folder as its file: this folder led it
// last, or has all that the leader's has, with the key of its Secrets; else nobody could use what
// was moved. Also good where the database has no store (the move says so). STANDBY_FILES_DIFFER.
Status check_is_folder_of(store::LeadWatch& leader, const Config& config);

// A controller asks this before it becomes the leader after another one. False: the leader has just
// begun and has not yet said which files it has, so nothing can be compared; ask again.
// FailedPrecondition, STANDBY_FILES_DIFFER, with a cause for each file.
Result<bool> check_shared_files(store::LeadWatch& leader, const Config& config);

// The message to an operator where lacks_secret_key() is true.
inline constexpr const char* kSecretKeyWords =
    "secrets.key in the data folder lacks the key that the Secrets of this database are sealed "
    "with, so no run would get one if this controller led: append the file of the controller that "
    "leads (cat THAT_FILE >> secrets.key)";
// Whether the key that the Secrets of the store are sealed with is missing: it is not in this data
// folder, and could not be taken from the folder that controllers share.
Result<bool> lacks_secret_key(store::LeadWatch& leader, const Config& config);

}  // namespace paddock::app
