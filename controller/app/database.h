// Which store the configuration chooses: paddock.db in the data folder, or a PostgreSQL database.
#pragma once

#include <string>

#include "common/base/random.h"
#include "common/base/result.h"
#include "controller/app/config.h"
#include "controller/store/store.h"

namespace paddock::app {

// The options for Store::open, without its callbacks. Reads the file with the database's URL. At
// the first start with PostgreSQL it makes `store-holder` in the data folder: an id by which,
// together with the folder's place, the database knows this instance. STORE_MISSING,
// STORE_CHOSEN_TWICE, STORE_URL_INVALID, STORE_MOVE_UNFINISHED.
Result<store::StoreOptions> store_options(const Config& config, Random& random);

// The same without making anything: the holder is empty before the first start.
Result<store::StoreOptions> store_options_as_they_are(const Config& config);

// The options of the database that the configuration names, whether or not the data folder has a
// store's file. STORE_URL_INVALID.
Result<store::PostgresOptions> postgres_options(const Config& config, Random& random);

// The same without making anything: the holder is empty before the first start.
Result<store::PostgresOptions> postgres_options_as_they_are(const Config& config);

std::string store_file(const Config& config);

}  // namespace paddock::app
