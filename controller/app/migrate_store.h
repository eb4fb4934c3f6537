// `paddock-controller --migrate-store`: the records of this instance, moved to the other engine.
#pragma once

#include "common/base/result.h"
#include "controller/app/config.h"
#include "controller/store/move_store.h"

namespace paddock::app {

// The data folder is locked by the caller. As store::move_store(); STORE_URL_INVALID.
Status migrate_store(const Config& config, store::MoveTo to);

}  // namespace paddock::app
