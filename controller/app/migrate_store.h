// `paddock-controller --migrate-store`: the records of this instance, moved to the other engine.
#pragma once

#include "common/base/result.h"
#include "controller/app/config.h"
#include "controller/store/move_store.h"

namespace paddock::app {

// Before anything is written to the data folder, and it is not locked yet: a store goes to a folder
// that is its own. STANDBY_FILES_DIFFER, CONFIG_INVALID (there is no such folder); STORE_AWAY,
// STORE_URL_INVALID and others of a database.
Status check_may_move(const Config& config, store::MoveTo to);

// The data folder is locked by the caller. As store::move_store(); STORE_URL_INVALID.
Status migrate_store(const Config& config, store::MoveTo to);

}  // namespace paddock::app
