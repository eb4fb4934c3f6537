// Backups of the store, made while it is in use.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// Body: {"name"}. Into the data folder's backups/NAME.db.
Result<Response> make_backup(Call& call);

}  // namespace paddock::api
