// Whether the files of an instance lie in a data folder without the database that knows them. An
// empty one in its place would be a new instance, which after a day has swept all of them. Likewise
// where the store is in a PostgreSQL database that the configuration does not name.
#pragma once

#include <string>

#include "common/base/result.h"

namespace paddock::app {

// Before the database is opened. FailedPrecondition, STORE_MISSING; Unavailable, STORE_IO, of what
// is there and cannot be read.
Status check_database_is_there(const std::string& data_dir);

}  // namespace paddock::app
